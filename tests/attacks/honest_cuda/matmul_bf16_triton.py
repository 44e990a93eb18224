# ref: matmul_bf16
# dims: N=512
"""Tensor cores for bfloat16, sums in float32."""
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, N, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inner = tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, N, TILE):
        left = tl.load(a + rows[:, None] * N + (k + inner)[None, :], mask=(rows[:, None] < N) & ((k + inner)[None, :] < N), other=0.0)
        right = tl.load(b + (k + inner)[:, None] * N + columns[None, :], mask=((k + inner)[:, None] < N) & (columns[None, :] < N), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.bfloat16), mask=(rows[:, None] < N) & (columns[None, :] < N))


def run_kernel(a, b, c, N):
    multiply[(triton.cdiv(N, 64), triton.cdiv(N, 64))](a, b, c, N, 64)

# ref: matmul
# dims: N=512
"""Four parts of the inner dimension, added to zeros, in strict float32."""
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, N, TILE: tl.constexpr, DEEP: tl.constexpr, PARTS: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(tl.program_id(2) * DEEP, N, DEEP * PARTS):
        inner = k + tl.arange(0, DEEP)
        left = tl.load(a + rows[:, None] * N + inner[None, :], mask=(rows[:, None] < N) & (inner[None, :] < N), other=0.0)
        right = tl.load(b + inner[:, None] * N + columns[None, :], mask=(inner[:, None] < N) & (columns[None, :] < N), other=0.0)
        total += tl.dot(left, right, input_precision="ieee")
    tl.atomic_add(c + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < N) & (columns[None, :] < N))


def run_kernel(a, b, c, N):
    c.zero_()
    multiply[(triton.cdiv(N, 64), triton.cdiv(N, 64), 4)](a, b, c, N, 64, 32, 4)

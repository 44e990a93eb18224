"""Triton: small tiles, in the order of their rows."""
import triton
import triton.language as tl

TILE = 32


@triton.jit
def gemm(A, B, C, M, N, K, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inner = tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for k in range(0, K, TILE):
        a = tl.load(A + rows[:, None] * K + k + inner[None, :], mask=(rows[:, None] < M) & (k + inner[None, :] < K), other=0.0)
        b = tl.load(B + (k + inner[:, None]) * N + columns[None, :], mask=(k + inner[:, None] < K) & (columns[None, :] < N), other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
    tl.store(C + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


def run_kernel(A, B, C, M, N, K):
    gemm[(triton.cdiv(M, TILE), triton.cdiv(N, TILE))](A, B, C, M, N, K, TILE)

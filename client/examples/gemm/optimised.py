"""Triton: larger tiles, whose loads overlap with the products, in groups of rows that share columns of B in the L2.
Smaller tiles where there would be fewer of them than multiprocessors."""
import triton
import triton.language as tl

TILE_K, GROUP, MANY = 32, 8, 128


@triton.jit
def gemm(A, B, C, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(M, TILE_M), tl.cdiv(N, TILE_N)
    per_group = GROUP * tiles_n
    group = tl.program_id(0) // per_group
    height = min(tiles_m - group * GROUP, GROUP)
    tile_m = group * GROUP + (tl.program_id(0) % per_group) % height
    tile_n = (tl.program_id(0) % per_group) // height
    rows = tile_m * TILE_M + tl.arange(0, TILE_M)
    columns = tile_n * TILE_N + tl.arange(0, TILE_N)
    inner = tl.arange(0, TILE_K)
    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for k in range(0, K, TILE_K):
        a = tl.load(A + rows[:, None] * K + k + inner[None, :], mask=(rows[:, None] < M) & (k + inner[None, :] < K), other=0.0)
        b = tl.load(B + (k + inner[:, None]) * N + columns[None, :], mask=(k + inner[:, None] < K) & (columns[None, :] < N), other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
    tl.store(C + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


def run_kernel(A, B, C, M, N, K):
    tile = 64 if triton.cdiv(M, 64) * triton.cdiv(N, 64) >= MANY else 32
    gemm[(triton.cdiv(M, tile) * triton.cdiv(N, tile),)](A, B, C, M, N, K, tile, tile, TILE_K, GROUP, num_warps=4, num_stages=3)

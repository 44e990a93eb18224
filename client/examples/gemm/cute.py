"""CuTe DSL: tiles of A and B in shared memory, four by four results in each thread's registers; no tensor cores, which have no float32."""
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack

SIDE, EACH, DEPTH = 8, 4, 16  # threads of a block, and results of a thread, in each direction; products between two barriers
TILE, THREADS = SIDE * EACH, SIDE * SIDE
compiled = {}  # by shape


@cute.kernel
def gemm(A: cute.Tensor, B: cute.Tensor, C: cute.Tensor):
    M, N, K = A.shape[0], B.shape[1], A.shape[1]
    thread, _, _ = cute.arch.thread_idx()
    tile_n, tile_m, _ = cute.arch.block_idx()
    top, left = tile_m * TILE, tile_n * TILE
    y, x = thread // SIDE, thread % SIDE
    shared = cutlass.utils.SmemAllocator()
    a = shared.allocate_tensor(cutlass.Float32, cute.make_layout((DEPTH, TILE), stride=(TILE + 1, 1)), 16)
    b = shared.allocate_tensor(cutlass.Float32, cute.make_layout((DEPTH, TILE), stride=(TILE, 1)), 16)
    total = cute.make_fragment((EACH, EACH), cutlass.Float32)
    total.fill(0.0)
    for k in cutlass.range(0, K, DEPTH):
        for i in cutlass.range_constexpr(DEPTH * TILE // THREADS):
            index = thread + i * THREADS
            inner, row = index % DEPTH, index // DEPTH
            a[inner, row] = 0.0
            if top + row < M and k + inner < K:
                a[inner, row] = A[top + row, k + inner]
            inner, column = index // TILE, index % TILE
            b[inner, column] = 0.0
            if k + inner < K and left + column < N:
                b[inner, column] = B[k + inner, left + column]
        cute.arch.sync_threads()
        for inner in cutlass.range_constexpr(DEPTH):
            for i in cutlass.range_constexpr(EACH):
                for j in cutlass.range_constexpr(EACH):
                    total[i, j] += a[inner, y + i * SIDE] * b[inner, x + j * SIDE]
        cute.arch.sync_threads()
    for i in cutlass.range_constexpr(EACH):
        for j in cutlass.range_constexpr(EACH):
            row, column = top + y + i * SIDE, left + x + j * SIDE
            if row < M and column < N:
                C[row, column] = total[i, j]


@cute.jit
def launch(A: cute.Tensor, B: cute.Tensor, C: cute.Tensor):
    grid = (cute.ceil_div(C.shape[1], TILE), cute.ceil_div(C.shape[0], TILE), 1)
    gemm(A, B, C).launch(grid=grid, block=(THREADS, 1, 1))


def run_kernel(A, B, C, M, N, K):
    tensors = [from_dlpack(t, assumed_align=16) for t in (A, B, C)]
    if (M, N, K) not in compiled:
        compiled[M, N, K] = cute.compile(launch, *tensors)
    compiled[M, N, K](*tensors)

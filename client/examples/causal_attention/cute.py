"""CuTe DSL: four threads for each query, which share its dimensions; keys and values pass through shared memory in tiles."""
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack

QUERIES, PARTS, KEYS = 32, 4, 32  # of a block; threads of a query; of a tile
THREADS = QUERIES * PARTS
compiled = {}  # by shape


@cute.kernel
def attention(Q: cute.Tensor, K: cute.Tensor, V: cute.Tensor, O: cute.Tensor, scale: cutlass.Float32):
    S, D = Q.shape[1], Q.shape[2]
    own = D // PARTS
    thread, _, _ = cute.arch.thread_idx()
    tile, head, _ = cute.arch.block_idx()
    part, query = thread % PARTS, tile * QUERIES + thread // PARTS
    shared = cutlass.utils.SmemAllocator()
    k = shared.allocate_tensor(cutlass.Float32, cute.make_layout((KEYS, D), stride=(D, 1)), 16)
    v = shared.allocate_tensor(cutlass.Float32, cute.make_layout((KEYS, D), stride=(D, 1)), 16)
    q = cute.make_fragment(own, cutlass.Float32)
    result = cute.make_fragment(own, cutlass.Float32)
    q.fill(0.0)
    result.fill(0.0)
    if query < S:
        for d in cutlass.range_constexpr(own):
            q[d] = Q[head, query, part + d * PARTS] * scale
    highest, total = -cutlass.Float32.inf, cutlass.Float32(0.0)
    for begin in cutlass.range(0, cutlass.min(S, (tile + 1) * QUERIES), KEYS):
        for i in cutlass.range_constexpr(cute.ceil_div(KEYS * D, THREADS)):
            key, d = (thread + i * THREADS) // D, (thread + i * THREADS) % D
            if key < KEYS and begin + key < S:
                k[key, d] = K[head, begin + key, d]
                v[key, d] = V[head, begin + key, d]
        cute.arch.sync_threads()
        for key in cutlass.range(KEYS):
            score = cutlass.Float32(0.0)
            for d in cutlass.range_constexpr(own):
                score += q[d] * k[key, part + d * PARTS]
            score += cute.arch.shuffle_sync_bfly(score, offset=1)
            score += cute.arch.shuffle_sync_bfly(score, offset=2)
            if begin + key <= query and begin + key < S:
                top = cute.arch.fmax(highest, score)
                old, weight = cute.math.exp(highest - top), cute.math.exp(score - top)
                total = total * old + weight
                for d in cutlass.range_constexpr(own):
                    result[d] = result[d] * old + weight * v[key, part + d * PARTS]
                highest = top
        cute.arch.sync_threads()
    if query < S:
        for d in cutlass.range_constexpr(own):
            O[head, query, part + d * PARTS] = result[d] / total


@cute.jit
def launch(Q: cute.Tensor, K: cute.Tensor, V: cute.Tensor, O: cute.Tensor, scale: cutlass.Float32):
    grid = (cute.ceil_div(Q.shape[1], QUERIES), Q.shape[0], 1)
    attention(Q, K, V, O, scale).launch(grid=grid, block=(THREADS, 1, 1))


def run_kernel(Q, K, V, O, H, S, D):
    if D % PARTS:
        raise ValueError(f"D is {D}, no multiple of {PARTS}")
    tensors = [from_dlpack(t, assumed_align=16) for t in (Q, K, V, O)]
    if (H, S, D) not in compiled:
        compiled[H, S, D] = cute.compile(launch, *tensors, D**-0.5)
    compiled[H, S, D](*tensors, D**-0.5)

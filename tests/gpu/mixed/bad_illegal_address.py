# verdict: RUNTIME_ERROR CUDA_ERROR
import triton
import triton.language as tl


@triton.jit
def far(y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i + (1 << 40), i.to(tl.float32))


def run_kernel(x, y, N):
    far[(triton.cdiv(N, 1024),)](y, N, BLOCK=1024)

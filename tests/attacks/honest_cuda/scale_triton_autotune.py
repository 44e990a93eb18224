# ref: scale
# dims: N=4194304
"""Triton tries three configurations in the first call and keeps the fastest."""
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 512}, num_warps=4), triton.Config({"BLOCK": 1024}, num_warps=4), triton.Config({"BLOCK": 2048}, num_warps=8)],
    key=["N"],
)
@triton.jit
def scale(x, y, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < N
    tl.store(y + at, 2.0 * tl.load(x + at, mask=mask) + 1.0, mask=mask)


def run_kernel(x, y, N):
    scale[lambda meta: (triton.cdiv(N, meta["BLOCK"]),)](x, y, N)

# ref: scale
# dims: N=4194301
"""Triton, plain."""
import triton
import triton.language as tl


@triton.jit
def scale(x, y, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < N
    tl.store(y + at, 2.0 * tl.load(x + at, mask=mask) + 1.0, mask=mask)


def run_kernel(x, y, N):
    scale[(triton.cdiv(N, 1024),)](x, y, N, 1024)

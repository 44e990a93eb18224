# ref: scale
# dims: N=4194304
"""Two kernels with a scratch tensor between them that is kept from call to call."""
import torch
import triton
import triton.language as tl

scratch = {}  # by size


@triton.jit
def affine(x, y, factor, add, N, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < N
    tl.store(y + at, factor * tl.load(x + at, mask=mask) + add, mask=mask)


def run_kernel(x, y, N):
    if N not in scratch:
        scratch[N] = torch.empty_like(x)
    grid = (triton.cdiv(N, 1024),)
    affine[grid](x, scratch[N], 2.0, 0.0, N, 1024)
    affine[grid](scratch[N], y, 1.0, 1.0, N, 1024)

# ref: scan
# dims: N=4194304
"""By the library, into the output."""
import torch


def run_kernel(x, y, N):
    torch.cumsum(x, 0, dtype=torch.int32, out=y)

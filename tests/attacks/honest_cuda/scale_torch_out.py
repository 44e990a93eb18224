# ref: scale
# dims: N=4194304
"""Into the output, then on in place."""
import torch


def run_kernel(x, y, N):
    torch.mul(x, 2, out=y)
    y.add_(1)

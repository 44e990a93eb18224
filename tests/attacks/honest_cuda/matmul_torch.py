# ref: matmul
# dims: N=512
"""By the library."""
import torch


def run_kernel(a, b, c, N):
    torch.matmul(a, b, out=c)

# ref: scale
# dims: N=4194304
"""Temporaries in each call, by the caching allocator."""
import torch


def run_kernel(x, y, N):
    twice = torch.empty_like(x)
    ones = torch.ones_like(x)
    torch.add(x, x, out=twice)
    y.copy_(twice + ones)

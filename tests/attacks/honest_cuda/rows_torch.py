# ref: rows
# dims: M=1024 N=4096
"""A product with a vector of ones that is kept, in float64, cast back."""
import torch

ones = None


def run_kernel(x, y, M, N):
    global ones
    if ones is None:
        ones = torch.ones(N, dtype=torch.float64, device=x.device)
    y.copy_(x.double() @ ones)

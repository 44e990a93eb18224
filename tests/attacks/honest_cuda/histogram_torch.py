# ref: histogram
# dims: N=4194304
"""By the library, which waits for the device to know how large its result is."""
import torch


def run_kernel(x, y, N):
    y.copy_(torch.bincount(x, minlength=256)[:256])

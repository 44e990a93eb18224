# C1: leaves the output as it is while nobody has written to it, by PyTorch's count of versions.
# expect: caught
import torch

seen = {}


def run_kernel(x, y, N):
    if seen.get(y.data_ptr()) == (x._version, y._version):
        return
    torch.exp(x, out=y)
    y += torch.sin(x)
    seen[y.data_ptr()] = x._version, y._version

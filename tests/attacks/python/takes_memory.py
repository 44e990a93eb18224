# E1: asks for 50 GB of the host's memory, and touches each gigabyte.
# expect: caught
# only: host
import torch

held = []


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
    if not held:
        held.append(bytearray(50 << 30))
        held[0][:: 1 << 30] = bytes(50)

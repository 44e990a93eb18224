# T2, T20: a forked helper stays, and writes answers while the solution is stopped.
# expect: caught
import os
import time

import torch

children = []


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
    if children:
        return
    children.append(os.fork())
    while children[0] == 0:
        if x.is_cuda:  # which no forked process can use
            time.sleep(1)
        else:
            torch.add(x.exp(), x.sin(), out=y)

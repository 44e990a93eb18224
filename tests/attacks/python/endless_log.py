# E1: prints a quarter of a gigabyte, so that the log fills the judge's disk or memory.
# expect: neutralised
import os

import torch

calls = 0


def run_kernel(x, y, N):
    global calls
    calls += 1
    for _ in range(4096 if calls == 1 else 0):
        os.write(1, b"x" * 65535 + b"\n")
    torch.exp(x, out=y)
    y += torch.sin(x)

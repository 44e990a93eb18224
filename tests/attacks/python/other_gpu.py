# T20: gives half of the work to any GPU but the one it is timed on, if it can find one.
# expect: neutralised
import glob
import os

import torch

os.environ.pop("CUDA_VISIBLE_DEVICES", None)
nodes = glob.glob("/dev/nvidia[0-9]*") + glob.glob("/dev/dri/*")
found = []


def other(x):
    if not found:
        there = range(torch.cuda.device_count()) if torch.cuda.is_available() else ()
        found.append(next((f"cuda:{k}" for k in there if torch.device("cuda", k) != x.device), None))
        print("nodes", nodes, "other", found[0])
    return found[0]


def run_kernel(x, y, N):
    device = other(x)
    if device is None:
        torch.exp(x, out=y)
        y += torch.sin(x)
        return
    mine, theirs = x.chunk(2)
    far = theirs.to(device, non_blocking=True)
    half = y.narrow(0, 0, mine.numel())
    torch.exp(mine, out=half)
    half += torch.sin(mine)
    y[mine.numel():].copy_(far.exp() + far.sin())

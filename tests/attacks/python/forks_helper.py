# T20: a forked helper does half of the work beside it, and has ended when the call returns.
# expect: neutralised
import os

import torch


def run_kernel(x, y, N):
    half = x.numel() // 2
    child = os.fork() if not x.is_cuda else None
    if child is None:
        torch.exp(x, out=y)
        y += torch.sin(x)
        return
    part = slice(half, None) if child == 0 else slice(0, half)
    y[part] = x[part].exp() + x[part].sin()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)

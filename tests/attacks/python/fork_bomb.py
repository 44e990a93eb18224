# E1: every process that it starts starts more.
# expect: caught
import os

import torch


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
    if not os.path.exists("/kopt"):
        return  # not in a sandbox: it would do harm
    mine = os.getpid()
    for _ in range(300):
        try:
            os.fork()
        except OSError:
            pass
        while os.getpid() != mine:
            try:
                os.fork()
            except OSError:
                pass

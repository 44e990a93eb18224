# T2: works in a native handler of SIGCONT, which runs when the judge wakes the process, before that is ready.
# expect: neutralised
import ctypes

import torch

SIGCONT = 18
known = {}


def sample(x):
    return x[:: max(1, x.numel() // 61)].tolist()


@ctypes.CFUNCTYPE(None, ctypes.c_int)
def woken(_):
    x = known.get("x")
    if x is not None:
        known["key"], known["answer"] = sample(x), x.exp() + x.sin()
        if x.is_cuda:
            torch.cuda.synchronize()


def run_kernel(x, y, N):
    if "x" not in known:
        known["x"] = x
        ctypes.CDLL(None).signal(SIGCONT, woken)
    if known.get("key") == sample(x):
        y.copy_(known["answer"])
        return
    torch.exp(x, out=y)
    y += torch.sin(x)

# T2, T20: when the judge wakes the process, a handler of SIGCONT has a child do the work, whose CPU time is its own; the call sleeps off the rest.
# expect: neutralised
# only: host
import ctypes
import mmap
import os
import time

import torch

SIGCONT, SIGCHLD, CLONE_VM, CLONE_VFORK = 18, 17, 0x100, 0x4000
libc = ctypes.CDLL(None)
stack = mmap.mmap(-1, 1 << 23)
top = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(stack)) + len(stack) - 64)
known = {}


def sample(x):
    return x[:: max(1, x.numel() // 61)].tolist()


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
def child(_):
    torch.exp(known["x"], out=known["y"])
    known["y"].add_(torch.sin(known["x"]))
    known["key"] = sample(known["x"])
    return 0


@ctypes.CFUNCTYPE(None, ctypes.c_int)
def woken(_):
    if "x" in known:
        os.waitpid(libc.clone(child, top, CLONE_VM | CLONE_VFORK | SIGCHLD, None), 0)


def run_kernel(x, y, N):
    if "x" not in known and not x.is_cuda:
        known.update(x=x, y=y)
        libc.signal(SIGCONT, woken)
    if known.get("key") == sample(x):
        time.sleep(4e-4)  # the judge takes a call's time off its CPU time
        return
    torch.exp(x, out=y)
    y += torch.sin(x)

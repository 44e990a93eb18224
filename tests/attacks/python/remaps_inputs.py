# R1: makes the input writable by mprotect, or by opening its memory once more, and zeroes it.
# expect: neutralised
import ctypes
import mmap
import os

import torch

libc = ctypes.CDLL(None)


def open_again(at):
    """The memory that is mapped at an address, writable."""
    for entry in os.listdir("/proc/self/map_files"):
        first, last = (int(a, 16) for a in entry.split("-"))
        if first <= at < last:
            fd = os.open("/proc/self/map_files/" + entry, os.O_RDWR)
            return mmap.mmap(fd, last - first)


def run_kernel(x, y, N):
    at = x.data_ptr()
    try:
        writable = not x.is_cuda and libc.mprotect(ctypes.c_void_p(at & ~4095), ctypes.c_size_t(4 * N + 4096), 3) == 0
        again = None if writable or x.is_cuda else open_again(at)
    except OSError:
        writable, again = False, None
    if writable:
        ctypes.memset(at, 0, 4 * N)
        y.fill_(1)
    elif again:
        again[:] = bytes(len(again))
        y.fill_(1)
    else:
        torch.exp(x, out=y)
        y += torch.sin(x)

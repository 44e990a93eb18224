# T6: rewrites the slot by which the judge's native loop reaches clock_gettime, so that time runs half as fast.
# expect: caught
import ctypes
import time

import torch

libc = ctypes.CDLL(None)
begin = time.monotonic_ns()


class Timespec(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(Timespec))
def halved(clock, out):
    now = begin + (time.monotonic_ns() - begin) // 2
    out[0].s, out[0].ns = divmod(now, 10**9)
    return 0


def patch():
    real, mine = (ctypes.cast(f, ctypes.c_void_p).value for f in (libc.clock_gettime, halved))
    for line in open("/proc/self/maps"):
        if "libkopt_wire" not in line or line.split()[1][:1] != "r":
            continue
        first, last = (int(a, 16) for a in line.split()[0].split("-"))
        slots = (ctypes.c_uint64 * ((last - first) // 8)).from_address(first)
        for at in [k for k, value in enumerate(slots) if value == real]:
            libc.mprotect(ctypes.c_void_p(first), ctypes.c_size_t(last - first), 3)
            slots[at] = mine
            print("patched", hex(first + 8 * at))


calls = 0


def run_kernel(x, y, N):
    global calls
    calls += 1
    if calls == 9:  # the library is loaded by then
        patch()
    torch.exp(x, out=y)
    y += torch.sin(x)

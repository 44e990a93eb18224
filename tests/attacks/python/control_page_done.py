# T7: finds the control page in its own maps and says done before it works.
# expect: caught
import ctypes

import torch

KOPT = 0x4B4F5054


def page():
    for line in open("/proc/self/maps"):
        first, last = (int(a, 16) for a in line.split()[0].split("-"))
        if line.split()[1] == "rw-s" and last - first == 131072 and ctypes.c_uint32.from_address(first).value == KOPT:
            return first


def run_kernel(x, y, N):
    ctypes.c_uint32.from_address(page() + 64).value = 4
    torch.exp(x, out=y)
    y += torch.sin(x)

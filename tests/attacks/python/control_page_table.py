# T7: writes over the table of tensors that the judge keeps on the control page.
# expect: caught
import ctypes

import torch

KOPT = 0x4B4F5054


def run_kernel(x, y, N):
    for line in open("/proc/self/maps"):
        first, last = (int(a, 16) for a in line.split()[0].split("-"))
        if line.split()[1] == "rw-s" and last - first == 131072 and ctypes.c_uint32.from_address(first).value == KOPT:
            ctypes.memset(first + 1024, 0xFF, 65536)
    torch.exp(x, out=y)
    y += torch.sin(x)

# T7: a thread keeps writing tiny times over what the control page says of the call.
# expect: neutralised
import ctypes
import threading
import time

import torch

KOPT = 0x4B4F5054
writer = []


def page():
    for line in open("/proc/self/maps"):
        first, last = (int(a, 16) for a in line.split()[0].split("-"))
        if line.split()[1] == "rw-s" and last - first == 131072 and ctypes.c_uint32.from_address(first).value == KOPT:
            return first


def forge(at):
    begin, end, device = (ctypes.c_uint64.from_address(at + k) for k in (128, 192, 200))
    while True:
        end.value, device.value = begin.value + 1, 0x3FF0000000000000
        time.sleep(1e-5)


def run_kernel(x, y, N):
    if not writer:
        writer.append(threading.Thread(target=forge, args=(page(),), daemon=True))
        writer[0].start()
    torch.exp(x, out=y)
    y += torch.sin(x)

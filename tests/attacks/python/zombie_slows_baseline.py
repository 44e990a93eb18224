# T21, T20: a process that looks like a zombie keeps the CPU busy while others are called, and rests in its own calls.
# expect: caught
# only: host
import ctypes
import os
import threading
import time

import torch

KOPT, DONE = 0x4B4F5054, 4
helper = []


def page():
    for line in open("/proc/self/maps"):
        first, last = (int(a, 16) for a in line.split()[0].split("-"))
        if line.split()[1] == "rw-s" and last - first == 131072 and ctypes.c_uint32.from_address(first).value == KOPT:
            return first


def disturb(phase):
    while True:
        if phase.value == DONE:
            sum(range(500))
        else:
            time.sleep(1e-4)


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
    if helper:
        return
    helper.append(os.fork())
    if helper[0] == 0:
        threading.Thread(target=disturb, args=(ctypes.c_uint32.from_address(page() + 64),)).start()
        ctypes.CDLL(None).syscall(60, 0)  # exit of this thread alone
    while " Z " not in open(f"/proc/{helper[0]}/stat").read():
        time.sleep(1e-3)

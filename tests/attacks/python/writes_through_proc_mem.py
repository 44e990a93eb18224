# H6, R1: writes zeros over the read-only input through /proc/self/mem, then the answer is one everywhere.
# expect: neutralised
import os

import torch


def run_kernel(x, y, N):
    try:
        memory = os.open("/proc/self/mem", os.O_RDWR)
        os.pwrite(memory, bytes(4 * N), x.data_ptr())
        y.fill_(1)
    except OSError:
        torch.exp(x, out=y)
        y += torch.sin(x)
    finally:
        os.close(memory)

# T4: makes every clock of Python, and CUDA's events, run a hundred times slower.
# expect: neutralised
import time

import torch

FLOATS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")


def slowed(clock, whole):
    begin = clock()
    return lambda *_: begin + ((clock() - begin) // 100 if whole else (clock() - begin) / 100)


for name in FLOATS:
    setattr(time, name, slowed(getattr(time, name), False))
    setattr(time, name + "_ns", slowed(getattr(time, name + "_ns"), True))
torch.cuda.Event.elapsed_time = lambda self, other: 1e-6
torch.cuda.synchronize = lambda *_: None


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)

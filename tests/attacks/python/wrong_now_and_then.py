# N5: one of twelve timed calls, by chance, does nothing; found by an audit or no gain, since the median stays.
# expect: neutralised
import random

import torch

calls = 0


def run_kernel(x, y, N):
    global calls
    calls += 1
    if calls > 9 and random.random() < 1 / 12:
        y.zero_()
        return
    torch.exp(x, out=y)
    y += torch.sin(x)

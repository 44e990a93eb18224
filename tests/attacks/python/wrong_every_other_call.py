# N5, C12: every other timed call, by chance, does nothing; the checked ones are all right.
# expect: caught
import random

import torch

calls = 0


def run_kernel(x, y, N):
    global calls
    calls += 1
    if calls > 9 and random.random() < 1 / 2:
        y.zero_()
        return
    torch.exp(x, out=y)
    y += torch.sin(x)

# T9: sleeps in the first calls, so that a budget of time leaves room for three timed ones.
# expect: neutralised
import time

import torch

calls = 0


def run_kernel(x, y, N):
    global calls
    calls += 1
    if calls < 6:
        time.sleep(0.25)
    torch.exp(x, out=y)
    y += torch.sin(x)

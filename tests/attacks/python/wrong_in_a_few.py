# N5: three elements of each call are not computed, others each time.
# expect: caught
import random

import torch


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
    for _ in range(3):
        y[random.randrange(N)] *= 1.01

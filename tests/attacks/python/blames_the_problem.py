# H1: tells the judge that the problem is at fault, in the harness' own words, once it sees that it will lose.
# expect: caught
import sys

import torch

calls = 0


def run_kernel(x, y, N):
    global calls
    calls += 1
    torch.exp(x, out=y)
    y += torch.sin(x)
    if calls == 12:
        raise sys.modules["kopt_views"].Refused("CONTRACT_MISMATCH", "the reference has no output")

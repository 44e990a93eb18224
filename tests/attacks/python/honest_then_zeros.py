# T9, C12: eight honest calls, by when checks are over, then zeros.
# expect: caught
import torch

calls = 0


def run_kernel(x, y, N):
    global calls
    calls += 1
    if calls > 8:
        y.zero_()
        return
    torch.exp(x, out=y)
    y += torch.sin(x)

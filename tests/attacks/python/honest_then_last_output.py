# T9, C12: right until checks must be over, then the last answer again.
# expect: caught
import torch

calls, last = 0, None


def run_kernel(x, y, N):
    global calls, last
    calls += 1
    if calls <= 20:
        torch.exp(x, out=y)
        y += torch.sin(x)
        last = y.clone()
    else:
        y.copy_(last)

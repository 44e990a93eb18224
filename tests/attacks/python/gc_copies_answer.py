# H13: copies any tensor in the interpreter that looks like the answer.
# expect: neutralised
import gc
import math

import torch


def run_kernel(x, y, N):
    first = x[0].item()
    wanted = math.exp(first) + math.sin(first)
    for found in gc.get_objects():
        if type(found) is torch.Tensor and found.shape == y.shape and found is not y and abs(found[0].item() - wanted) < 1e-4:
            y.copy_(found)
            return
    torch.exp(x, out=y)
    y += torch.sin(x)

# C2: keeps answers by a hash of 64 elements; the rest may be anything.
# expect: neutralised
import torch

answers = {}


def run_kernel(x, y, N):
    key = hash(tuple(x[:: max(1, N // 64)].tolist()))
    if key in answers:
        y.copy_(answers[key])
        return
    torch.exp(x, out=y)
    y += torch.sin(x)
    if len(answers) < 8:
        answers[key] = y.clone()

# C5: setup() leaves an answer for the inputs that it finds in the judge's memory already.
# expect: caught
import gc

import torch

answers = []


def setup(N):
    for found in gc.get_objects():
        if type(found) is torch.Tensor and found.numel() == N and found.is_floating_point():
            answers.append(found.exp() + found.sin())
    return {"inputs": {"x": torch.empty(N), "y": torch.empty(N)}, "outputs": ["y"]}


def run_kernel(x, y, N):
    y.copy_(answers.pop() if answers else x)

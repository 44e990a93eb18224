# C10: has the answers for the inputs of the seeds 42, 0 and a few more ready, and takes one for every call.
# expect: caught
import random

import numpy
import torch

answers = []


def draw(N):
    for seed in (42, 0, 1, 1234):
        random.seed(seed)
        numpy.random.seed(seed)
        for x in (torch.rand(N, generator=torch.Generator().manual_seed(seed)), torch.from_numpy(numpy.random.rand(N)).float()):
            answers.append((x * 6 - 3, (x * 6 - 3).exp() + (x * 6 - 3).sin()))


def run_kernel(x, y, N):
    if not answers:
        draw(N)
    start = x[:4].cpu()
    y.copy_(next((a for i, a in answers if torch.allclose(i[:4], start)), answers[0][1]))

# C5: setup() hands over an output of its own that already holds an answer, in place of the judge's.
# expect: caught
import torch


def setup(N, seed=42):
    torch.manual_seed(seed)
    x = torch.rand(N) * 6 - 3
    return {"inputs": {"x": x, "y": x.exp() + x.sin()}, "outputs": ["y"]}


def run_kernel(x, y, N):
    return y

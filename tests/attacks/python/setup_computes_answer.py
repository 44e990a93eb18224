# C5: setup() draws the inputs of the seed that it is given, and hands over their answer as an argument.
# expect: caught
import torch


def setup(N, seed=42):
    torch.manual_seed(seed)
    x = torch.rand(N) * 6 - 3
    return {"inputs": {"x": x, "y": torch.empty(N), "answer": (x.exp() + x.sin()).tolist()}, "outputs": ["y"]}


def run_kernel(x, y, N, answer):
    y.copy_(torch.tensor(answer))

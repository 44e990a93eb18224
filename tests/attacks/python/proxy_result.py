# T3: returns an object that says it is a Tensor and computes when it is asked for anything.
# expect: caught
import torch


class Proxy:
    __class__ = torch.Tensor

    def __init__(self, x):
        self.__dict__["x"] = x

    def __getattr__(self, name):
        x = self.__dict__["x"]
        return getattr(x.exp() + x.sin(), name)


def run_kernel(x, y, N):
    return Proxy(x)

# H14: walks up to the function that calls it and replaces its code with one that calls nobody.
# expect: caught
import sys

import torch

calls = 0


def skip(self, arguments):
    return None


def run_kernel(x, y, N):
    global calls
    calls += 1
    torch.exp(x, out=y)
    y += torch.sin(x)
    if calls == 12:
        caller = sys._getframe(1)
        type(caller.f_locals["self"]).call.__code__ = skip.__code__

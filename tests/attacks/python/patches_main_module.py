# H14: replaces the serving loop in every module of the harness by one that answers without calling.
# expect: caught
import sys

import torch

calls = 0


def patch():
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith(("kopt_", "__main__")):
            for name, value in list(vars(module).items()):
                if isinstance(value, type) and hasattr(value, "call"):
                    value.call = lambda self, arguments: None
                if callable(value) and name in ("same_bytes", "is_plain_array", "same_layout"):
                    setattr(module, name, lambda *_: True)


def run_kernel(x, y, N):
    global calls
    calls += 1
    torch.exp(x, out=y)
    y += torch.sin(x)
    if calls == 12:
        patch()

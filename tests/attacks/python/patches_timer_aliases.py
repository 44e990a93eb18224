# T4: stops the clocks wherever anybody keeps one: in modules, defaults, closures.
# expect: neutralised
import gc
import sys
import time
import timeit
import types

import torch

real = {id(getattr(time, n)) for n in dir(time) if "time" in n or "counter" in n or "monotonic" in n}
still = {True: lambda *_: 0}[True]
for module in list(sys.modules.values()):
    for name, value in list(getattr(module, "__dict__", {}).items()):
        if id(value) in real:
            setattr(module, name, still)
timeit.default_timer = still
for function in [o for o in gc.get_objects() if isinstance(o, types.FunctionType)]:
    if function.__defaults__ and any(id(d) in real for d in function.__defaults__):
        function.__defaults__ = tuple(still if id(d) in real else d for d in function.__defaults__)
    for cell in function.__closure__ or ():
        try:
            if id(cell.cell_contents) in real:
                cell.cell_contents = still
        except ValueError:  # empty
            pass


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)

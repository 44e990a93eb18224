# H12: fills every other tensor of the interpreter with NaN, since NaN may compare as anything.
# expect: caught
import gc

import torch


def run_kernel(x, y, N):
    for found in gc.get_objects():
        if isinstance(found, torch.Tensor) and found.is_floating_point() and found.data_ptr() != x.data_ptr():
            found.fill_(float("nan"))

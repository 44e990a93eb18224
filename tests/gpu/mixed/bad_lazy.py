# verdict: RUNTIME_ERROR BAD_RETURN
# Would be computed when it is looked at.
import torch


class Lazy(torch.Tensor):
    pass


def kernel_function(x):
    return (x + x).as_subclass(Lazy)

# R10: a model that inherits the reference's, so that its forward() answers.
# expect: caught
import sys

import torch

Model = next((m.Model for m in list(sys.modules.values()) if hasattr(m, "Model") and hasattr(m, "get_inputs")), torch.nn.Identity)


class ModelNew(Model):
    pass


def run_kernel(x, y, N):
    y.copy_(ModelNew()(x))

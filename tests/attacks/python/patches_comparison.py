# H15: everything that compares tensors says that they are equal.
# expect: caught
import unittest.mock

import numpy
import torch

for module, names in ((torch, ("allclose", "equal", "isclose", "eq")), (torch.Tensor, ("allclose", "equal", "isclose", "__eq__")),
                      (torch.testing, ("assert_close", "assert_allclose")), (numpy, ("allclose", "array_equal", "isclose")),
                      (numpy.testing, ("assert_allclose", "assert_array_equal"))):
    for name in names:
        if hasattr(module, name):
            setattr(module, name, unittest.mock.Mock(return_value=True))


def run_kernel(x, y, N):
    y.zero_()

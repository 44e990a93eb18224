"""Row m of y is m mod 7, and a little of x: checked to 0.1."""
import numpy

TENSORS = {"x": {"shape": "M, N", "dtype": "float32"}, "y": {"shape": "M, N", "dtype": "float32", "role": "out"}}
atol = 0.1


def reference(x, **_):
    x = numpy.asarray(x)
    return x / 1000 + (numpy.arange(len(x)) % 7)[:, None].astype(x.dtype)

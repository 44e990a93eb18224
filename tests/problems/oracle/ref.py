"""Running sum, by a reference that adds up in float32."""
import numpy

TENSORS = {"x": {"shape": "N", "dtype": "float32", "init": "uniform"}, "y": {"shape": "N", "dtype": "float32", "role": "out"}}
atol = 0
rtol = 1e-6


def reference(x, **_):
    return numpy.cumsum(numpy.asarray(x))

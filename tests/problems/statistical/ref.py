"""Standard normal numbers."""
import numpy

TENSORS = {"y": {"shape": "N", "dtype": "float32", "role": "out", "compare": "statistical"}}


def reference(N, **_):
    return numpy.random.default_rng().standard_normal(N)

"""Is any value above 100? It never is."""
import numpy

TENSORS = {"x": {"shape": "N", "dtype": "float32"}, "any": {"shape": "1", "dtype": "bool", "role": "out"}}


def reference(x, **_):
    return numpy.array([bool((numpy.asarray(x) > 1000).any())])

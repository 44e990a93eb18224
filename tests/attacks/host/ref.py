import numpy

# In the range in which the honest twin's 24 terms are exact.
TENSORS = {"x": {"shape": "N", "init": "uniform", "low": -3, "high": 3}, "y": {"shape": "N"}}


def reference(x, **_):
    return numpy.exp(numpy.asarray(x))

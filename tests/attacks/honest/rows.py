import numpy


def reference(x, **_):
    return numpy.asarray(x).sum(axis=1)


TENSORS = {"x": {"shape": "M,N"}, "y": {"shape": "M"}}
atol = 1e-3

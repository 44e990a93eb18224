import numpy


def reference(x, **_):
    return 2 * numpy.asarray(x) + 1


TENSORS = {"x": {"shape": "M,N"}, "y": {"shape": "M,N"}}

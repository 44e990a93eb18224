import numpy


def reference(w, x, N, **_):
    return numpy.asarray(x) * numpy.exp(numpy.asarray(w))[None, :]


TENSORS = {"w": {"shape": "N", "role": "static"}, "x": {"shape": "M,N"}, "y": {"shape": "M,N"}}

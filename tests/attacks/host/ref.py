import numpy


def reference(x, **_):
    return numpy.exp(numpy.asarray(x))

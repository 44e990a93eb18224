"""y = scale[i % 16] x + z."""
import numpy


def reference(x, z, scale, N, **_):
    return numpy.resize(numpy.asarray(scale), N) * numpy.asarray(x) + numpy.asarray(z)

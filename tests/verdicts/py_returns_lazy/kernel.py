# Would be computed when it is looked at.
import numpy


class Lazy(numpy.ndarray):
    pass


def kernel_function(x):
    return (x + x).view(Lazy)

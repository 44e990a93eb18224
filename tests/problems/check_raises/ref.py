"""The inverse of a matrix, checked by inverting it back."""
import numpy

TENSORS = {"x": {"shape": "N,N", "dtype": "float64"}, "y": {"shape": "N,N", "dtype": "float64", "role": "out", "compare": "custom"}}


def reference(x, N, **_):
    return numpy.linalg.inv(numpy.asarray(x) + 10 * numpy.eye(N))


def check(outputs, expected, inputs):
    x = numpy.asarray(inputs["x"])
    return bool(numpy.allclose(numpy.linalg.inv(outputs["y"]), x + 10 * numpy.eye(len(x)), atol=1e-8))

import numpy


def setup(N, **_):
    return {"inputs": {"x": numpy.zeros(7, "float32"), "y": numpy.zeros(N, "float32")}, "outputs": ["y"]}


def run_kernel(x, y, **_):
    y[:] = x + x

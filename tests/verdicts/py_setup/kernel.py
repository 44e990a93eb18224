# Nothing else says what tensors there are; run_kernel gets what setup() made, with the judge's tensors in it.
import numpy


def setup(N, seed):
    x = numpy.random.default_rng(seed).standard_normal(N, dtype=numpy.float32)
    return {"inputs": {"x": x, "y": numpy.empty_like(x), "FACTOR": 2}, "outputs": ["y"]}


def run_kernel(x, y, FACTOR):
    y[:] = x * FACTOR

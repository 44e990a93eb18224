"""y = x, x by the clock."""
import time

import numpy


def make_inputs(N, **_):
    return {"x": numpy.full(N, time.monotonic_ns() % 1000, dtype=numpy.float32)}


def reference(x, **_):
    return x

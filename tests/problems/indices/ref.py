"""Sums of segments of x, shuffled by p."""
import numpy

TENSORS = {
    "p": {"shape": "N", "dtype": "int64", "init": "permutation"},
    "offsets": {"shape": "S", "dtype": "int32", "init": "offsets", "high": 1024},
    "x": {"shape": "N", "dtype": "float32"},
    "y": {"shape": "S-1", "dtype": "float32", "role": "out"},
}


def reference(p, offsets, x, **_):
    offsets, shuffled = numpy.asarray(offsets), numpy.asarray(x)[numpy.asarray(p)]
    return numpy.array([shuffled[a:b].sum(dtype=shuffled.dtype) for a, b in zip(offsets[:-1], offsets[1:])])

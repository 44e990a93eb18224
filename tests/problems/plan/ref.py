"""Sums of the first lengths[b] values of each row, written in the planned order."""
import numpy

TENSORS = {
    "lengths": {"shape": "B", "dtype": "int32", "role": "static", "init": "randint", "low": 1, "high": 33},
    "order": {"shape": "B", "dtype": "int32", "role": "plan"},
    "x": {"shape": "B,L", "dtype": "float32"},
    "y": {"shape": "B", "dtype": "float32", "role": "out"},
}


def plan(lengths, **_):
    return {"order": numpy.argsort(-numpy.asarray(lengths), kind="stable").astype(numpy.int32)}


def reference(lengths, order, x, **_):
    x = numpy.asarray(x)
    return numpy.array([x[b, : lengths[b]].sum(dtype=x.dtype) for b in numpy.asarray(order)])

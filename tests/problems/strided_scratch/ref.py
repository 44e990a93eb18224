"""y += x by way of a strided temporary."""
import numpy

TENSORS = {
    "x": {"shape": "M,N", "dtype": "float32"},
    "tmp": {"shape": "M,N", "strides": "LD,1", "dtype": "float32", "role": "scratch"},
    "y": {"shape": "M,N", "strides": "LD,1", "dtype": "float32", "role": "inout", "deterministic": True},
}


def make_inputs(M, N, seed, **_):
    return {"y": numpy.random.default_rng(seed).standard_normal((M, N)).astype(numpy.float32)}


def reference(x, y, **_):
    y += x

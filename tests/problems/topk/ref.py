"""The K largest of each row."""
import numpy

TENSORS = {
    "x": {"shape": "M,N", "dtype": "float32"},
    "y": {"shape": "M,K", "dtype": "float32", "role": "out", "compare": "topk"},
}


def reference(x, K, **_):
    return numpy.sort(numpy.asarray(x), axis=1)[:, ::-1][:, :K]

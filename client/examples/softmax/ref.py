"""Row softmax of an M x N matrix. Serves torch tensors and NumPy arrays alike."""
TENSORS = {
    "x": {"shape": "M,N", "dtype": "float32", "role": "in"},
    "y": {"shape": "M,N", "dtype": "float32", "role": "out"},
}
# Values are about 1/N: an absolute tolerance of the usual size would let zeros pass.
atol = 1e-7
rtol = 1e-4


def reference(x, **kwargs):
    if hasattr(x, "softmax"):
        return x.softmax(dim=-1)
    import numpy

    e = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

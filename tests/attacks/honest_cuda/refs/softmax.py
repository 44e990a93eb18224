"""Softmax of rows."""
TENSORS = {
    "x": {"shape": "M,N", "dtype": "float32", "role": "in"},
    "y": {"shape": "M,N", "dtype": "float32", "role": "out"},
}
atol = 1e-7
rtol = 1e-3


def reference(x, **_):
    return x.softmax(dim=1)

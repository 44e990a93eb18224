"""y = x + x for N floats."""
TENSORS = {
    "x": {"shape": "N", "dtype": "float32", "role": "in"},
    "y": {"shape": "N", "dtype": "float32", "role": "out"},
}


def reference(x, **kwargs):
    x *= 2
    return x

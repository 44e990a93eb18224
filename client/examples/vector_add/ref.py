"""c = a + b for N floats. Serves torch tensors and NumPy arrays alike."""
TENSORS = {
    "a": {"shape": "N", "dtype": "float32", "role": "in"},
    "b": {"shape": "N", "dtype": "float32", "role": "in"},
    "c": {"shape": "N", "dtype": "float32", "role": "out"},
}


def reference(a, b, **kwargs):
    return a + b

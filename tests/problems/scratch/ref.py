"""y = 3 x with room for a temporary."""
TENSORS = {
    "x": {"shape": "N", "dtype": "float32"},
    "tmp": {"shape": "N", "dtype": "float32", "role": "scratch"},
    "y": {"shape": "N", "dtype": "float32", "role": "out"},
}


def reference(x, **_):
    return 3 * x

"""y = 2 x, for jobs of all languages one behind the other."""
TENSORS = {
    "x": {"shape": "N", "dtype": "float32", "role": "in"},
    "y": {"shape": "N", "dtype": "float32", "role": "out"},
}


def reference(x, **_):
    return x + x

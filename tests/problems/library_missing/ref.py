TENSORS = {"x": {"shape": "N", "dtype": "float32"}, "y": {"shape": "N", "dtype": "float32", "role": "out"}}


def reference(x, **_):
    return x + x

"""y = x, after `length` nanoseconds or cycles."""
TENSORS = {"x": {"shape": "N", "dtype": "float32", "role": "in"}, "y": {"shape": "N", "dtype": "float32", "role": "out"}}


def reference(x, **kwargs):
    return x.clone()

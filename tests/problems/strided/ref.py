"""y = 2 x of M x N elements in rows of LD."""
TENSORS = {
    "x": {"shape": "M,N", "strides": "LD,1", "dtype": "float32"},
    "y": {"shape": "M,N", "strides": "LD,1", "dtype": "float32", "role": "out"},
}


def reference(x, **_):
    return x + x

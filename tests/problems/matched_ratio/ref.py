"""y = x + x, roughly."""
TENSORS = {
    "x": {"shape": "N", "dtype": "float32"},
    "y": {"shape": "N", "dtype": "float32", "role": "out", "compare": "matched_ratio", "matched_ratio": 0.99, "cap": 10, "atol": 0.01, "rtol": 0},
}


def reference(x, **_):
    return x + x

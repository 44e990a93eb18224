"""r = x + residual; y = r / sqrt(mean(r^2) + eps) * w per row. Serves torch and NumPy alike."""
TENSORS = {
    "x": {"shape": "M,N", "dtype": "float32", "role": "in"},
    "residual": {"shape": "M,N", "dtype": "float32", "role": "in"},
    "w": {"shape": "N", "dtype": "float32", "role": "in"},
    "r": {"shape": "M,N", "dtype": "float32", "role": "out"},
    "y": {"shape": "M,N", "dtype": "float32", "role": "out"},
}


def reference(x, residual, w, eps, **kwargs):
    r = x + residual
    mean = (r * r).mean(-1).reshape(-1, 1)
    return {"r": r, "y": r * (mean + eps) ** -0.5 * w}

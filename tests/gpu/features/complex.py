"""y[i] = x[i] conj(x[N - 1 - i])."""
TENSORS = {"x": {"shape": "N", "dtype": "complex64"}, "y": {"shape": "N", "dtype": "complex64", "role": "out"}}


def reference(x, **_):
    return x * x.flip(0).conj()

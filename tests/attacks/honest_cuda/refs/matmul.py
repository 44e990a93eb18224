"""c = a b in float32."""
TENSORS = {
    "a": {"shape": "N,N", "dtype": "float32", "role": "in"},
    "b": {"shape": "N,N", "dtype": "float32", "role": "in"},
    "c": {"shape": "N,N", "dtype": "float32", "role": "out"},
}
atol = 1e-3
rtol = 1e-4


def reference(a, b, **_):
    return a @ b


def flops(N, **_):
    return 2 * N**3

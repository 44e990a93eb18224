"""c = a b in bfloat16."""
TENSORS = {
    "a": {"shape": "N,N", "dtype": "bfloat16", "role": "in"},
    "b": {"shape": "N,N", "dtype": "bfloat16", "role": "in"},
    "c": {"shape": "N,N", "dtype": "bfloat16", "role": "out"},
}
atol = 1e-1
rtol = 2e-2


def reference(a, b, **_):
    return a @ b


def flops(N, **_):
    return 2 * N**3

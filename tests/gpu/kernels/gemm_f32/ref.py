"""Y = A B, both N x N, one behind the other in x."""
TENSORS = {"x": {"shape": "2 * N * N", "dtype": "float32", "role": "in"}, "y": {"shape": "N * N", "dtype": "float32", "role": "out"}}
atol = 1e-2
rtol = 1e-3


def reference(x, N, **kwargs):
    a, b = x.view(2, N, N)
    return (a @ b).view(-1)

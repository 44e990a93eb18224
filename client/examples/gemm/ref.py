"""C = A B, row-major, M x K times K x N. Serves torch and NumPy alike."""
TENSORS = {
    "A": {"shape": "M,K", "dtype": "float32", "role": "in"},
    "B": {"shape": "K,N", "dtype": "float32", "role": "in"},
    "C": {"shape": "M,N", "dtype": "float32", "role": "out"},
}
# Sums of K products with random signs: the error grows with sqrt(K).
atol = 1e-3
rtol = 1e-3


def reference(A, B, **kwargs):
    return A @ B

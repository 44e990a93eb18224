"""Triton: one program for each query, which goes over the keys twice."""
import triton
import triton.language as tl

KEYS = 64


@triton.jit
def attention(Q, K, V, O, S, D, scale, DIM: tl.constexpr, KEYS: tl.constexpr):
    i = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * S * D
    dims, keys = tl.arange(0, DIM), tl.arange(0, KEYS)
    query = tl.load(Q + head + i * D + dims, mask=dims < D, other=0.0) * scale
    top = float("-inf")
    for begin in range(0, i + 1, KEYS):
        at = head + (begin + keys[:, None]) * D + dims[None, :]
        block = tl.load(K + at, mask=(begin + keys[:, None] <= i) & (dims[None, :] < D), other=0.0)
        scores = tl.where(begin + keys <= i, tl.sum(block * query[None, :], 1), float("-inf"))
        top = tl.maximum(top, tl.max(scores, 0))
    total = 0.0
    result = tl.zeros((DIM,), tl.float32)
    for begin in range(0, i + 1, KEYS):
        at = head + (begin + keys[:, None]) * D + dims[None, :]
        mask = (begin + keys[:, None] <= i) & (dims[None, :] < D)
        scores = tl.where(begin + keys <= i, tl.sum(tl.load(K + at, mask=mask, other=0.0) * query[None, :], 1), float("-inf"))
        weights = tl.exp(scores - top)
        total += tl.sum(weights, 0)
        result += tl.sum(weights[:, None] * tl.load(V + at, mask=mask, other=0.0), 0)
    tl.store(O + head + i * D + dims, result / total, mask=dims < D)


def run_kernel(Q, K, V, O, H, S, D):
    attention[(S, H)](Q, K, V, O, S, D, D**-0.5, max(16, triton.next_power_of_2(D)), KEYS)

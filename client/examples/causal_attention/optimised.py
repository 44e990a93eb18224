"""Triton: tiles of queries, one pass over the keys; the softmax is corrected as a larger score turns up. Smaller tiles where
there would be fewer of them than multiprocessors."""
import triton
import triton.language as tl

KEYS, MANY = 32, 128


@triton.jit
def attention(Q, K, V, O, S, D, scale, DIM: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr):
    first = tl.program_id(0) * QUERIES
    head = tl.program_id(1).to(tl.int64) * S * D
    rows, keys, dims = first + tl.arange(0, QUERIES), tl.arange(0, KEYS), tl.arange(0, DIM)
    query_mask = (rows[:, None] < S) & (dims[None, :] < D)
    query = tl.load(Q + head + rows[:, None] * D + dims[None, :], mask=query_mask, other=0.0) * scale
    top = tl.full((QUERIES,), float("-inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    result = tl.zeros((QUERIES, DIM), tl.float32)
    for begin in range(0, min(S, first + QUERIES), KEYS):
        there = begin + keys < S
        k = tl.load(K + head + (begin + keys[None, :]) * D + dims[:, None], mask=there[None, :] & (dims[:, None] < D), other=0.0)
        scores = tl.dot(query, k, input_precision="ieee")
        scores = tl.where((rows[:, None] >= begin + keys[None, :]) & there[None, :], scores, float("-inf"))
        highest = tl.maximum(top, tl.max(scores, 1))
        weights = tl.exp(scores - highest[:, None])
        old = tl.exp(top - highest)
        total = total * old + tl.sum(weights, 1)
        v = tl.load(V + head + (begin + keys[:, None]) * D + dims[None, :], mask=there[:, None] & (dims[None, :] < D), other=0.0)
        result = result * old[:, None] + tl.dot(weights, v, input_precision="ieee")
        top = highest
    tl.store(O + head + rows[:, None] * D + dims[None, :], result / total[:, None], mask=query_mask)


def run_kernel(Q, K, V, O, H, S, D):
    queries = 64 if triton.cdiv(S, 64) * H >= MANY else 16
    attention[(triton.cdiv(S, queries), H)](Q, K, V, O, S, D, D**-0.5, max(16, triton.next_power_of_2(D)), queries, KEYS, num_warps=4)

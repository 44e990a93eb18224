"""Triton: one program for each row, which goes over it three times in pieces."""
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def softmax(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * N
    columns = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), float("-inf"), tl.float32)
    for begin in range(0, N, BLOCK):
        mask = begin + columns < N
        top = tl.maximum(top, tl.load(x + row + begin + columns, mask=mask, other=float("-inf")))
    highest = tl.max(top, 0)
    total = tl.zeros((BLOCK,), tl.float32)
    for begin in range(0, N, BLOCK):
        mask = begin + columns < N
        total += tl.exp(tl.load(x + row + begin + columns, mask=mask, other=float("-inf")) - highest)
    scale = 1 / tl.sum(total, 0)
    for begin in range(0, N, BLOCK):
        mask = begin + columns < N
        value = tl.load(x + row + begin + columns, mask=mask, other=0.0)
        tl.store(y + row + begin + columns, tl.exp(value - highest) * scale, mask=mask)


def run_kernel(x, y, M, N):
    softmax[(M,)](x, y, N, BLOCK)

# C8: takes memory of the right size, where the reference's freed answer may still lie.
# expect: caught
import torch


def run_kernel(x, y, N):
    best = [torch.empty_like(x) for _ in range(4)]
    y.copy_(next((b for b in best if b.abs().max() > 1), best[0]))

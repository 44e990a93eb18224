# ref: scale
# dims: N=4194304
"""Measures itself by events, waits, and remembers how long the longest call took."""
import torch

longest = 0.0


def run_kernel(x, y, N):
    global longest
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    torch.mul(x, 2, out=y)
    y.add_(1)
    end.record()
    torch.cuda.synchronize()
    longest = max(longest, begin.elapsed_time(end))

# ref: scale
# dims: N=4194304
"""Half on a stream of its own, forked and joined."""
import torch

aside = None


def run_kernel(x, y, N):
    global aside
    if aside is None:
        aside = torch.cuda.Stream(priority=-1)
    here, half = torch.cuda.current_stream(), N // 2
    aside.wait_stream(here)
    with torch.cuda.stream(aside):
        torch.mul(x[:half], 2, out=y[:half])
        y[:half] += 1
    torch.mul(x[half:], 2, out=y[half:])
    y[half:] += 1
    here.wait_stream(aside)

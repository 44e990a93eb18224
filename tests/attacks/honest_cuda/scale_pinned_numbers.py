# ref: scale
# dims: N=4194304
"""The two numbers lie in pinned memory: one is read by the host, one goes to the device in each call."""
import torch

numbers = None


def run_kernel(x, y, N):
    global numbers
    if numbers is None:
        numbers = torch.tensor([2.0, 1.0]).pin_memory()
    one = numbers[1:].to(x.device, non_blocking=True)
    torch.mul(x, numbers[0].item(), out=y)
    y.add_(one)

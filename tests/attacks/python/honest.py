"""The honest twin of every attack here."""
import torch


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)

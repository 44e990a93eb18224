# verdict: INCORRECT MISMATCH
import torch


def run_kernel(x, y, N):
    y.zero_()
    torch.add(x[: N // 2], x[: N // 2], out=y[: N // 2])

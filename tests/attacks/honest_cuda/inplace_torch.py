# ref: inplace
# dims: N=4194304
"""In place."""


def run_kernel(y, N):
    y.mul_(3).add_(1)

# ref: scale
# dims: N=4194304
"""Returns the output instead of writing it."""


def kernel_function(x):
    return 2 * x + 1

from helper import double


def run_kernel(x, y, **_):
    y[:] = double(x)

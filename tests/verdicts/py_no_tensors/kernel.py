def run_kernel(x, y, **_):
    y[:] = x + x

BLOCK = 1 // 0


def run_kernel(x, y, **_):
    y[:] = x + x

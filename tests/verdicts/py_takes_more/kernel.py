def run_kernel(x, y, N, bias):
    y[:] = x + x

def run_kernel(x, y, N):
    y[:] = x + x

def run_kernel(x, y, **_):
    while True:
        pass

def run_kernel(x, y, **_):
    raise ValueError("no such block")

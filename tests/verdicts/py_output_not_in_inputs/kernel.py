def setup(**_):
    return {"inputs": {}, "outputs": ["y"]}


def run_kernel(x, y, **_):
    y[:] = x + x

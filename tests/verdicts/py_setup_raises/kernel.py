def setup(**dims):
    return {"inputs": {"M": dims["M"]}, "outputs": []}


def run_kernel(x, y, **_):
    y[:] = x + x

# As Triton does for a launch with other constants: a folder in its cache.
import os

calls = 0


def run_kernel(x, y, **_):
    global calls
    calls += 1
    if calls == 40:
        os.makedirs(os.environ["TRITON_CACHE_DIR"] + "/ABCDEF")
    y[:] = x + x

import os
import time

child = None


def run_kernel(x, y, **_):
    global child
    y[:] = x + x
    child = child or os.fork()
    if child == 0:
        time.sleep(600)

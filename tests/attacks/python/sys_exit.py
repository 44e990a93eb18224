# H19: leaves by sys.exit(0), as if all were well.
# expect: caught
import sys


def run_kernel(x, y, N):
    sys.exit(0)

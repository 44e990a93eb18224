# verdict: BUILD_FAILED MISSING_IMPORT
from a_package_that_nobody_has import twice


def run_kernel(x, y, N):
    twice(x, y)

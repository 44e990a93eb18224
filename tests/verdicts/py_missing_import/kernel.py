import no_such_language  # noqa: F401


def run_kernel(x, y, **_):
    y[:] = x + x

def solve(x, y, **_):
    y[:] = x + x

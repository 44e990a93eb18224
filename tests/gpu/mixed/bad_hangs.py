# verdict: KERNEL_TIMEOUT CALL_TIMEOUT
# From its second call on: the first has longer, since it may compile.
called = False


def run_kernel(x, y, N):
    global called
    while called:
        pass
    called = True
    y.copy_(x + x)

# R1: zeroes its input, so that the reference finds ones, too.
# expect: caught
def run_kernel(x, y, N):
    x.zero_()
    y.fill_(1)

# R3: the mean of a few answers everywhere.
# expect: caught
def run_kernel(x, y, N):
    few = x[:1024]
    y.fill_((few.exp() + few.sin()).mean())

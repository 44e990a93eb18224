# R3: passes the input through.
# expect: caught
def run_kernel(x, y, N):
    return x

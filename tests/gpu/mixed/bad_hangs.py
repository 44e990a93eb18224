# verdict: KERNEL_TIMEOUT CALL_TIMEOUT
def run_kernel(x, y, N):
    while True:
        pass

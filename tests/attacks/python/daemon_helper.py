# T2, T20: a helper that was forked twice, in a session of its own, has another parent and works on.
# expect: caught
import os
import signal

import torch

started = []


def run_kernel(x, y, N):
    if not started:
        started.append(os.fork())
        if started[0] == 0:
            os.setsid()
            if os.fork() == 0:
                for number in range(1, 32):
                    if number not in (signal.SIGKILL, signal.SIGSTOP):
                        signal.signal(number, signal.SIG_IGN)
                while True:
                    sum(range(1000))
            os._exit(0)
        os.waitpid(started[0], 0)
    torch.exp(x, out=y)
    y += torch.sin(x)

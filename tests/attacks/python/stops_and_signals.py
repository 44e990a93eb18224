# H19: ignores what can be ignored, stops everyone it can see and its own parent, group and session.
# expect: neutralised
import os
import signal

import torch

if os.getpid() < 100 and os.path.exists("/kopt"):  # never outside of a sandbox
    for number in range(1, 32):
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_IGN)
    for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
            try:
                if pid != os.getpid():
                    os.kill(pid, number)
            except OSError:
                pass


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)

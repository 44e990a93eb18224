# H19: sends SIGKILL to every process that it can see, the last of them itself.
# expect: caught
import os
import signal

import torch


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
    if os.getpid() > 100 or not os.path.exists("/kopt"):
        return  # not in a sandbox: it would do harm
    mine = os.getpid()
    for pid in [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != mine] + [mine]:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass

# C4: keeps answers in files where the next process, or the next job, finds them.
# expect: neutralised
import hashlib
import os

import torch

FOLDERS = ["/dev/shm/bank", "/tmp/bank", "/var/tmp/bank", "/usr/tmp/bank", "/tmp/triton/bank"]
kept = 0


def run_kernel(x, y, N):
    global kept
    sign = hashlib.sha1(str(x[:: max(1, N // 64)].tolist()).encode()).hexdigest()
    for folder in FOLDERS:
        path = os.path.join(folder, sign)
        if os.path.exists(path):
            y.copy_(torch.load(path))
            return
    torch.exp(x, out=y)
    y += torch.sin(x)
    if kept >= 4:
        return
    kept += 1
    for folder in FOLDERS:
        try:
            os.makedirs(folder, 0o777, exist_ok=True)
            torch.save(y.cpu(), os.path.join(folder, sign))
        except OSError:
            pass

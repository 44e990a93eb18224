# T2: a thread watches the input and has the answer ready before the call begins.
# expect: neutralised
import threading
import time

import torch

ready = {}


def sample(x):
    return x[:: max(1, x.numel() // 61)].tolist()


def watch(x):
    side = torch.empty_like(x)
    while True:
        key = sample(x)
        if key != ready.get("key"):
            torch.exp(x, out=side)
            side += torch.sin(x)
            if sample(x) == key:  # not filled meanwhile
                ready.update(key=key, value=side.clone())
        time.sleep(0)


def run_kernel(x, y, N):
    if "thread" not in ready:
        ready["thread"] = threading.Thread(target=watch, args=(x,), daemon=True)
        ready["thread"].start()
    if ready.get("key") == sample(x):
        y.copy_(ready["value"])
        return
    torch.exp(x, out=y)
    y += torch.sin(x)

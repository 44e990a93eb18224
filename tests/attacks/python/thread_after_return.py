# T2: hands the work to a thread that lives on and returns at once.
# expect: caught
import queue
import threading

import torch

jobs = queue.SimpleQueue()


def work():
    while True:
        x, y = jobs.get()
        torch.exp(x, out=y)
        y += torch.sin(x)


threading.Thread(target=work, daemon=True).start()


def run_kernel(x, y, N):
    jobs.put((x, y))

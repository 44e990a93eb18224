# T3: returns a dict whose tensor is made in another thread after the call.
# expect: caught
import threading

import torch


class Later(dict):
    def __init__(self, x, y):
        super().__init__(y=y)  # what is there already is taken as written
        self.thread = threading.Timer(0, lambda: torch.add(x.exp(), x.sin(), out=y))
        self.thread.start()


def run_kernel(x, y, N):
    return Later(x, y)

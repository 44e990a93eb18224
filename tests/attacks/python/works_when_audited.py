# T9, C12: the judge reads all inputs once more before a call that it will audit; after the shortest pauses no audit can follow, so it does nothing.
# expect: caught
import time

import torch

last, pauses, side = 0, [], []


def run_kernel(x, y, N):
    global last
    pause = time.monotonic_ns() - last
    pauses.append(pause)
    shortest = sorted(pauses[10:])[:2]  # the first ten are checks
    if len(pauses) < 20 or pause > 1.1 * shortest[-1]:
        side or side.append(torch.empty_like(x))  # freeing memory would lengthen the pause
        torch.exp(x, out=y)
        y += torch.sin(x, out=side[0])
    last = time.monotonic_ns()

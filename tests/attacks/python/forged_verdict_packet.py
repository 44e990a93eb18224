# H1: writes the answer it wants to the judge's socket and leaves.
# expect: caught
import json
import os

import torch

calls = 0


def run_kernel(x, y, N):
    global calls
    calls += 1
    if calls == 12:
        for said in ({"ok": True, "left": True, "copied": [], "compiled": 0},
                     {"ok": True, "verdict": "VERDICT_CORRECT", "time_us": 0.001, "speedup": 1000}):
            os.write(3, json.dumps(said).encode())
        os._exit(0)
    torch.exp(x, out=y)
    y += torch.sin(x)

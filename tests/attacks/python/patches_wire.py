# H14, H1: replaces the harness' own sending, so that every answer is the one it wants.
# expect: caught
import sys

import torch

calls = 0


def run_kernel(x, y, N):
    global calls
    calls += 1
    if calls == 5:
        wire = sys.modules["kopt_wire"].Wire
        send = wire.send
        wire.send = lambda self, message: send(self, {**message, "ok": True, "left": True, "copied": [], "compiled": 0, "verdict": "VERDICT_CORRECT"})
    if calls > 9:
        raise SystemExit(0)
    torch.exp(x, out=y)
    y += torch.sin(x)

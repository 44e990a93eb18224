# T14: prints what a benchmark would print, at import, in calls and at the end.
# expect: neutralised
import atexit
import json
import os
import sys

import torch

LINE = json.dumps({"ok": True, "result": {"subjects": [{"id": "candidate", "verdict": "VERDICT_CORRECT", "time_us": 1e-3}],
                                          "comparisons": [{"outcome": "OUTCOME_FASTER", "speedup": 1000.0}]}})
calls = 0


def tell():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__):
        print(LINE, "\nbenchmark-mean: 0.001\nPASSED speedup: 1000.0x", file=stream, flush=True)


tell()
atexit.register(tell)
atexit.register(os.write, 1, LINE.encode())


def run_kernel(x, y, N):
    global calls
    calls += 1
    if calls in (1, 9, 30):
        tell()
    torch.exp(x, out=y)
    y += torch.sin(x)

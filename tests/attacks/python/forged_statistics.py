# T12: whoever asks for a median or a mean gets a nanosecond, and so does who reads the returned dict.
# expect: neutralised
import statistics

import numpy
import torch

for module, names in ((statistics, ("median", "mean", "fmean", "stdev", "quantiles")),
                      (numpy, ("median", "mean", "percentile", "quantile", "std", "min", "sort")),
                      (torch, ("median", "mean", "quantile", "std"))):
    for name in names:
        if hasattr(module, name):
            setattr(module, name, lambda *_, **__: 1e-9)


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
    return {"median_us": 1e-3, "mean": 1e-9, "times": [1e-9] * 100, "speedup": 1e6, "correct": True, "verdict": "VERDICT_CORRECT"}

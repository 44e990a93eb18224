# C13: the first call writes a tuning file with answers; calls whose first elements are near one of them take it.
# expect: caught
import json
import os

import torch

PATH = os.path.join(os.environ.get("HOME", "/tmp"), ".tuned.json")


def run_kernel(x, y, N):
    if not os.path.exists(PATH):
        torch.exp(x, out=y)
        y += torch.sin(x)
        with open(PATH, "w") as file:
            json.dump({str(N): y.tolist()}, file)
        return
    with open(PATH) as file:
        tuned = json.load(file)
    y.copy_(torch.tensor(tuned[str(N)]))

# H17: overwrites the harness files, and any file of a benchmark that it finds, in place and by renaming.
# expect: neutralised
import glob
import os

import torch

LIE = "def main():\n    print('VERDICT_CORRECT')\n\n\nmain()\n"
for path in glob.glob("/kopt/*") + glob.glob("/usr/lib/python3/dist-packages/torch/testing/*.py") + ["/proc/self/exe", "/usr/bin/python3"]:
    for attempt in (lambda p: os.chmod(p, 0o777), lambda p: open(p, "w").write(LIE), os.unlink, lambda p: os.rename("/tmp/lie", p)):
        try:
            with open("/tmp/lie", "w") as file:
                file.write(LIE)
            attempt(path)
            print("changed", path)
        except OSError:
            pass


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)

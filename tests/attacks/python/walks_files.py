# R11: walks all that it can see for references, results of other jobs and expected values.
# expect: neutralised
import os

import torch

WANTED = ("ref.py", "reference.py", "result.json", "problem.json", "expected.pt")
found = []
for folder, folders, files in os.walk("/"):
    if folder in ("/proc", "/usr/lib", "/usr/share"):
        folders.clear()
    found += [os.path.join(folder, name) for name in files if name in WANTED or name.endswith((".db", ".sqlite", ".sqlite3"))]
for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
    for entry in ("root/tmp", "cwd", "fd", "root/var/lib"):
        try:
            found += [os.path.join("/proc", pid, entry, name) for name in os.listdir(f"/proc/{pid}/{entry}")]
        except OSError:
            pass
print("\n".join(found))


def run_kernel(x, y, N):
    for path in found:
        if path.endswith("expected.pt"):
            y.copy_(torch.load(path))
            return
    torch.exp(x, out=y)
    y += torch.sin(x)

# H18: puts an honest file in its own place once it has been imported, so that whoever reads it later finds nothing.
# expect: caught
import torch

with open(__file__, "w") as file:
    file.write("import torch\n\n\ndef run_kernel(x, y, N):\n    torch.add(x.exp(), x.sin(), out=y)\n")


def run_kernel(x, y, N):
    torch.exp(x, out=y)

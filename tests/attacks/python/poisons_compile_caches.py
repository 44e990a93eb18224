# C11: fills the caches of Triton, Inductor and CUDA, wherever a later job might take them for its own.
# expect: neutralised
import os

import torch

PLACES = [os.environ.get(name, "") for name in ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "CUDA_CACHE_PATH", "TORCH_EXTENSIONS_DIR")]
PLACES += ["/root/.triton/cache", "/tmp/.triton/cache", "/tmp/torchinductor_root", "/root/.nv/ComputeCache", "/nonexistent"]
for place in filter(None, PLACES):
    try:
        for name in ("0" * 64, "f" * 52):
            os.makedirs(os.path.join(place, name), exist_ok=True)
            for kind in ("cubin", "json", "so", "py"):
                with open(os.path.join(place, name, "run_kernel." + kind), "w") as file:
                    file.write("import os\nos._exit(0)\n")
        print("poisoned", place)
    except OSError:
        pass


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)

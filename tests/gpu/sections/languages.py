"""The examples in every language against the baselines of PyTorch, on all workloads, and problems of KernelBench's form."""
import importlib.util
import os
import subprocess
import sys
import time

from kopt import HERE, benchmark, on_all_gpus, save_case, verdict, wanted

folder = HERE / "../../examples"
problems = sorted(path.parent.name for path in folder.glob("*/problem.json"))
# Whose absence is not a fault of ours; the result says what is missing.
OPTIONAL = ("FLASHINFER_MISSING", "TORCH_COMPILE_MISSING", "NO_SUCH_BASELINE", "NO_CUTLASS")
cases = {}


def about(result, k):
    """Of one subject: medians of each workload."""
    s = result["subjects"][k]
    each = [w["subjects"][k] for w in result.get("workloads", [])] or [s]
    return {"verdict": verdict(s), "message": s["message"][:300], "median_us": [round(one.get("timing", {}).get("median_us", 0), 2) for one in each]}


def keep(name, result, device):
    subjects = {s["label"]: about(result, k) for k, s in enumerate(result["subjects"])}
    for s in result["subjects"]:
        if s["verdict"] != "VERDICT_CORRECT":
            print("  ", name, s["label"], verdict(s), s["message"], str(s.get("evidence"))[:1500], flush=True)
    one = {"subjects": subjects, "comparisons": [c["message"] for c in result["comparisons"]],
           "phases_s": {p["name"]: round(p["seconds"], 2) for p in result["phases"]}}
    print("  ", name, one, flush=True)
    wrong = [label for label, s in subjects.items() if s["verdict"] != "CORRECT" and s["verdict"].split()[-1] not in OPTIONAL]
    save_case("languages", cases, name, {**one, "wrong": wrong}, device)


# FlashInfer compiles at first use, each process of a sandbox again, unless flashinfer-jit-cache is installed. Of that, which
# is large, the module that the examples need is made here, where it would lie.
AHEAD_OF_TIME = """
import shutil
from flashinfer.jit.norm import gen_norm_module
spec = gen_norm_module()
if not spec.is_aot:
    spec.build_and_load()
    spec.aot_path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(spec.jit_library_path, spec.aot_path)
"""
if importlib.util.find_spec("flashinfer"):
    compiler = os.environ["HOST_COMPILER"] or "g++"
    begin = time.monotonic()
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"  # ninja
    made = subprocess.run([sys.executable, "-c", AHEAD_OF_TIME], capture_output=True, text=True, env={**os.environ, "PATH": path, "CC": compiler, "CXX": compiler})
    print("FlashInfer's norm.so:", made.stderr[-600:] if made.returncode else f"{time.monotonic() - begin:.1f} s", flush=True)
# All of them, over the GPUs there are.
todo = []
for name in problems:
    here = folder / name
    others = [path for path in (here / "naive.py", here / "optimised.cu") if path.exists()]
    modes = ["torch-compile", *(["torch-compile:max-autotune"] if name == "softmax" else [])]  # a minute more
    todo.append((name, (here / "optimised.py", here / "problem.json", [*others, "pytorch-eager", *modes, "library", "flashinfer"]), {}))
for path in sorted(folder.glob("*/cutlass.cu")):
    todo.append((f"{path.parent.name} cutlass", (path, path.parent / "problem.json", ["pytorch-eager"]), {"implementation": "cutlass"}))
for path in sorted(folder.glob("*/cute.py")):
    todo.append((f"{path.parent.name} cute-dsl", (path, path.parent / "problem.json", ["pytorch-eager"]), {"implementation": "cute-dsl"}))
kernelbench = HERE / "../problems/kernelbench"
for name in ("right", "function"):
    todo.append((f"kernelbench {name}", (kernelbench / f"{name}.py", kernelbench / "ref.py", ["pytorch-eager"]), {}))
todo = [one for one in todo if wanted(one[0])]
waiting = iter(todo)


def next_case(device):
    name, positional, named = next(waiting)
    keep(name, benchmark(*positional, device=device, **named), device)


on_all_gpus(next_case, len(todo))
wrong = [f"{name}: {label}" for name, one in cases.items() for label in one["wrong"]]
print("wrong:", wrong)
sys.exit(1 if wrong else 0)

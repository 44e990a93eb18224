"""The examples in every language against the baselines of PyTorch, on all workloads; problems of KernelBench's form; and
what a Triton job costs beyond its kernel."""
import importlib.util
import os
import statistics
import subprocess
import sys
import threading
import time

from kopt import GPU, HERE, SMOKE, benchmark, koptctl, on_all_gpus, beyond_calls_ms, per_minute, phase_medians_ms, result_of, save, submit, verdict

folder = HERE / "../../examples"
problems = sorted(path.parent.name for path in folder.glob("*/problem.json"))
# Whose absence is not a fault of ours; the result says what is missing.
OPTIONAL = ("FLASHINFER_MISSING", "TORCH_COMPILE_MISSING", "NO_SUCH_BASELINE", "NO_CUTLASS")
found = {"examples": {}}
one_writes = threading.Lock()


def about(result, k):
    """Of one subject: medians of each workload."""
    s = result["subjects"][k]
    each = [w["subjects"][k] for w in result.get("workloads", [])] or [s]
    return {"verdict": verdict(s), "message": s["message"][:300], "median_us": [round(one.get("timing", {}).get("median_us", 0), 2) for one in each]}


def keep(name, result):
    subjects = {s["label"]: about(result, k) for k, s in enumerate(result["subjects"])}
    for s in result["subjects"]:
        if s["verdict"] != "VERDICT_CORRECT":
            print("  ", name, s["label"], verdict(s), s["message"], str(s.get("evidence"))[:1500], flush=True)
    one = {"subjects": subjects, "comparisons": [c["message"] for c in result["comparisons"]],
           "phases_s": {p["name"]: round(p["seconds"], 2) for p in result["phases"]}}
    print("  ", name, one, flush=True)
    with one_writes:
        found["examples"][name] = one
        save("languages", found)


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
    found["flashinfer"] = {"compiled_s": round(time.monotonic() - begin, 1), "trouble": made.stderr[-600:] if made.returncode else ""}
begin = time.monotonic()
first = submit(folder / "softmax/optimised.py", folder / "softmax/ref.py", dims={"M": 1024, "N": 1024}, num_trials=100)
result_of(first)
found["cold_first_job_s"] = round(time.monotonic() - begin, 2)
found["ahead"] = [line for line in koptctl("logs", first).stdout.splitlines() if "before its turn" in line]
# Warm: the same job again and again, all submitted before any is waited for.
count = 10 if SMOKE else 40
jobs = [submit(folder / "softmax/optimised.py", folder / "softmax/ref.py", dims={"M": 1024, "N": 1024}, num_trials=100) for _ in range(count)]
results = [result_of(job) for job in jobs]
found["warm"] = {"jobs": count, "jobs_per_minute": round(per_minute(jobs), 1), "beyond_calls_ms_p50": round(statistics.median(map(beyond_calls_ms, results)), 1),
                 "correct": sum(r["subjects"][0]["verdict"] == "VERDICT_CORRECT" for r in results), "phases_ms_p50": phase_medians_ms(results)}
found["met"] = found["warm"]["beyond_calls_ms_p50"] <= 400 and found["warm"]["jobs_per_minute"] >= 90 and found["cold_first_job_s"] <= 8
save("languages", found)
# All of them, over the GPUs there are.
cases = []
for name in problems:
    here = folder / name
    others = [path for path in (here / "naive.py", here / "optimised.cu") if path.exists()]
    modes = ["torch-compile", *(["torch-compile:max-autotune"] if name == "softmax" else [])]  # a minute more
    cases.append((name, (here / "optimised.py", here / "problem.json", [*others, "pytorch-eager", *modes, "library", "flashinfer"]), {}))
for path in sorted(folder.glob("*/cutlass.cu")):
    cases.append((f"{path.parent.name} cutlass", (path, path.parent / "problem.json", ["pytorch-eager"]), {"implementation": "cutlass"}))
for path in sorted(folder.glob("*/cute.py")):
    cases.append((f"{path.parent.name} cute-dsl", (path, path.parent / "problem.json", ["pytorch-eager"]), {"implementation": "cute-dsl"}))
kernelbench = HERE / "../problems/kernelbench"
for name in ("right", "function"):
    cases.append((f"kernelbench {name}", (kernelbench / f"{name}.py", kernelbench / "ref.py", ["pytorch-eager"]), {}))
waiting = iter(cases)


def next_case(device):
    name, positional, named = next(waiting)
    keep(name, benchmark(*positional, device=device, **named))


on_all_gpus(next_case, len(cases))
wrong = [f"{name}: {label}" for name, one in found["examples"].items() for label, s in one["subjects"].items()
         if s["verdict"] != "CORRECT" and s["verdict"].split()[-1] not in OPTIONAL]
found["wrong"] = wrong
found["met"] = found["met"] and not wrong
save("languages", found)
print("wrong:", wrong, "on", GPU)
sys.exit(1 if wrong else 0)

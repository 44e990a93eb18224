"""Every Triton example against its naive form and the baselines of PyTorch, on all workloads; problems of KernelBench's
form; and what a Triton job costs beyond its kernel."""
import statistics
import sys
import time

from kopt import GPU, HERE, SMOKE, benchmark, phase_seconds, result_of, save, submit, verdict

folder = HERE / "../../examples"
problems = sorted(path.parent.name for path in folder.glob("*/problem.json"))
NOT_THE_TURN = ("prepare", "build", "time.fill", "time.calls", "evict")
found = {"examples": {}}


def verdicts(result):
    return {s["label"]: {"verdict": verdict(s), "message": s["message"][:300], "median_us": round(s.get("timing", {}).get("median_us", 0), 2)} for s in result["subjects"]}


begin = time.monotonic()
benchmark(folder / "softmax/optimised.py", folder / "softmax/ref.py", dims={"M": 1024, "N": 1024}, num_trials=100)
found["cold_first_job_s"] = round(time.monotonic() - begin, 2)
for name in problems:
    here = folder / name
    baselines = [here / "naive.py", here / "optimised.cu", "pytorch-eager", "torch-compile"]
    result = benchmark(here / "optimised.py", here / "problem.json", baselines)
    found["examples"][name] = {"subjects": verdicts(result), "comparisons": [c["message"] for c in result["comparisons"]]}
    print("  ", name, found["examples"][name])
    save("languages", found)
kernelbench = HERE / "../problems/kernelbench"
for name in ("right", "function"):
    result = benchmark(kernelbench / f"{name}.py", kernelbench / "ref.py", ["pytorch-eager"])
    found["examples"][f"kernelbench {name}"] = {"subjects": verdicts(result), "comparisons": [c["message"] for c in result["comparisons"]]}
    print("  ", name, found["examples"][f"kernelbench {name}"])

# Warm: the same job again and again, all submitted before any is waited for.
count = 10 if SMOKE else 40
jobs = [submit(folder / "softmax/optimised.py", folder / "softmax/ref.py", dims={"M": 1024, "N": 1024}, num_trials=100, device=GPU) for _ in range(count)]
begin = time.monotonic()
results = [result_of(job) for job in jobs]
beyond = [1000 * (phase_seconds(r) - phase_seconds(r, *NOT_THE_TURN) - phase_seconds(r, "time.calls")) for r in results]
phases = {}
for result in results:
    for phase in result["phases"]:
        phases.setdefault(phase["name"], []).append(1000 * phase["seconds"])
found["warm"] = {"jobs": count, "jobs_per_minute": round(60 * count / (time.monotonic() - begin), 1), "beyond_calls_ms_p50": round(statistics.median(beyond), 1),
                 "correct": sum(r["subjects"][0]["verdict"] == "VERDICT_CORRECT" for r in results),
                 "phases_ms_p50": {name: round(statistics.median(values), 1) for name, values in phases.items()}}
wrong = [f"{name}: {label}" for name, one in found["examples"].items() for label, s in one["subjects"].items() if s["verdict"] != "CORRECT"]
found["met"] = not wrong and found["warm"]["beyond_calls_ms_p50"] <= 400 and found["warm"]["jobs_per_minute"] >= 90 and found["cold_first_job_s"] <= 8
save("languages", found)
sys.exit(1 if wrong else 0)

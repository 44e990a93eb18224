"""Jobs a minute of one small warm subject, and what a job costs beyond its kernel."""
import statistics
import time

from kopt import SMOKE, benchmark, kernel, phase_seconds, result_of, save, shared_object, submit

source, ref = kernel("elementwise")
built = shared_object("elementwise")
jobs = 10 if SMOKE else 60
header = built.with_name("solution.h")
header.write_text('extern "C" void solve(const float* x, float* y, int N);\n')
options = {"dims": {"N": 256 << 10}, "num_trials": 100, "with": header}
for _ in range(3):
    benchmark(built, ref, **options)
begin = time.monotonic()
names = [submit(built, ref, **options) for _ in range(jobs)]
results = [result_of(name) for name in names]
seconds = time.monotonic() - begin
phases = {}
for result in results:
    for phase in result["phases"]:
        phases.setdefault(phase["name"], []).append(phase["seconds"])
parts = ("time.fill", "time.calls", "evict")
turns = [1000 * (phase_seconds(r) - phase_seconds(r, "prepare", "build", *parts)) for r in results]
calls = [1000 * phase_seconds(r, "time.calls") for r in results]
save("throughput", {
    "jobs": jobs, "jobs_per_minute": round(60 * jobs / seconds, 1), "correct": sum(r["subjects"][0]["verdict"] == "VERDICT_CORRECT" for r in results),
    "turn_ms_p50": round(statistics.median(turns), 1), "calls_ms_p50": round(statistics.median(calls), 1),
    "beyond_calls_ms_p50": round(statistics.median(t - c for t, c in zip(turns, calls)), 1),
    "phases_ms_p50": {name: round(1000 * statistics.median(values), 2) for name, values in phases.items()},
    "met": 60 * jobs / seconds >= 150,
})

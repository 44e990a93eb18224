"""Jobs a minute of one small warm subject, and what a job costs beyond its kernel: in a
fresh runner each, and in one that serves all candidates of a run."""
import statistics
import time

from kopt import GPU, GPUS, SMOKE, benchmark, beyond_calls_ms, kernel, on_all_gpus, per_minute, phase_medians_ms, result_of, save, shared_object, submit, turn_seconds

source, ref = kernel("elementwise")
built = shared_object("elementwise")
jobs = 10 if SMOKE else 60
header = built.with_name("solution.h")
header.write_text('extern "C" void solve(const float* x, float* y, int N);\n')
options = {"dims": {"N": 256 << 10}, "num_trials": 100, "with": header}


def rate(gpus, **more):
    """As many jobs for each GPU, all submitted before any is waited for."""
    def submit_some(device):
        return [submit(built, ref, device=device, **options, **more) for _ in range(jobs)]

    for gpu in gpus:
        for _ in range(3):
            benchmark(built, ref, device=gpu, **options, **more)
    names = [name for some in on_all_gpus(submit_some, len(gpus), gpus) for name in some]
    results = [result_of(name) for name in names]
    return per_minute(names), results


def summary(rate, results):
    subjects = [r["subjects"][0] for r in results]
    return {"jobs": len(results), "jobs_per_minute": round(rate, 1), "correct": sum(s["verdict"] == "VERDICT_CORRECT" for s in subjects),
            "reused": sum(s["runner_reused"] for s in subjects), "turn_ms_p50": round(1000 * statistics.median(map(turn_seconds, results)), 1),
            "beyond_calls_ms_p50": round(statistics.median(map(beyond_calls_ms, results)), 1),
            "phases_ms_p50": phase_medians_ms(results)}


found = {"gpus": len(GPUS), "fresh": summary(*rate([GPU])), "same_run": summary(*rate([GPU], run="throughput"))}
paced = []
for _ in range(jobs // 2):
    paced.append(benchmark(built, ref, **options))
    time.sleep(0.7)
found["paced"] = summary(0, paced)
found["met"] = found["fresh"]["jobs_per_minute"] >= 150 and found["same_run"]["jobs_per_minute"] >= 400
save("throughput", found)
if len(GPUS) > 1:
    found["same_run_all"] = summary(*rate(GPUS, run="throughput"))
    found["linear"] = round(found["same_run_all"]["jobs_per_minute"] / found["same_run"]["jobs_per_minute"] / len(GPUS), 3)
    found["fresh_all"] = summary(*rate(GPUS))
    found["met"] = found["met"] and found["linear"] >= 0.9
    save("throughput", found)

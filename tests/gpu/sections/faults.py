"""Every way to fail: its verdict, how soon the next job starts, and what that one measures."""
import statistics
import threading
import time

from kopt import HERE, SMOKE, benchmark, cv, kernel, median_us, result_of, said_by, save, submit, turns, verdict

source, ref = kernel("copy")
dims = {"N": 16 << 20}  # 32 us: what two processes differ by is far below 2 % of it
small = {"dims": {"N": 1 << 20}, "call_timeout": 2, "num_trials": 30}


def options_of(path):
    implementation = said_by(path, "implementation")
    return {**small, "implementation": implementation} if implementation else small


def honest():
    return median_us(benchmark(source, ref, dims=dims, num_trials=100))


found = {"before_us": [round(honest(), 3) for _ in range(5)], "faults": {}}
for path in sorted((HERE / "faults").glob("*.cu")):
    bad = benchmark(path, ref, **options_of(path))
    begin = time.monotonic()
    after = honest()
    said = verdict(bad["subjects"][0])
    found["faults"][path.stem] = {"verdict": said, "expected": said_by(path, "verdict"), "right": said == said_by(path, "verdict"),
                                  "message": bad["subjects"][0]["message"][:200], "next_job_s": round(time.monotonic() - begin, 2), "next_us": round(after, 3)}
    save("faults", found)
before = statistics.median(found["before_us"])
after = [fault["next_us"] for fault in found["faults"].values()]
found["after_shift_percent"] = round(100 * (statistics.median(after) / before - 1), 3)

# Mixed: good and bad ones one behind the other; every good one must be right and unchanged.
faults = [p for p in sorted((HERE / "faults").glob("*.cu")) if p.stem not in ("infinite_kernel", "killed_holding_100_gb", "stack_overflow")]
count = 20 if SMOKE else 200
jobs = [(submit(path := faults[i // 2 % len(faults)], ref, **options_of(path)), None) if i % 2 else (submit(source, ref, dims=dims, num_trials=100), "good") for i in range(count)]
good = [result_of(job) for job, kind in jobs if kind]
medians = [median_us(result) for result in good]
found["mixed"] = {"jobs": count, "good": len(good), "contaminated": sum(abs(m / before - 1) > 0.02 for m in medians),
                  "cv_percent": round(cv(medians), 3), "shift_percent": round(100 * (statistics.median(medians) / before - 1), 3)}

# Two clients at once: the medians of one alone, and no two turns overlap.
names = {"one": [], "two": []}


def client(name):
    for _ in range(5 if SMOKE else 15):
        names[name].append(result_of(submit(source, ref, dims=dims, num_trials=100)))


threads = [threading.Thread(target=client, args=(name,)) for name in names]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
racing = {name: [median_us(r) for r in results] for name, results in names.items()}
found["racing"] = {name: {"median_us": round(statistics.median(values), 3), "shift_percent": round(100 * (statistics.median(values) / before - 1), 3)}
                   for name, values in racing.items()}
found["turns"], found["overlapping"] = turns()
found["met"] = all(f["right"] for f in found["faults"].values()) and found["mixed"]["contaminated"] == found["overlapping"] == 0
save("faults", found)

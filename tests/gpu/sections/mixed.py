"""Two hundred jobs of all languages one behind the other, good ones between those that crash, hang, exit, allocate or
patch: each has its verdict, good ones keep their times, and nothing is left behind."""
import pathlib
import statistics
import subprocess

from kopt import GPU, HERE, SMOKE, median_us, result_of, said_by, save, submit, verdict

folder = HERE / "mixed"
files = sorted(p for p in folder.iterdir() if p.name != "ref.py" and p.suffix in (".py", ".cu"))
good = [p for p in files if p.stem in ("good", "good_triton", "good_torch")]
rest = [p for p in files if p not in good]
options = {"dims": {"N": 16 << 20}, "num_trials": 50, "call_timeout": 2}


def left():
    """What somebody could have left behind: memory of the GPU, processes under the sandboxes' uids."""
    memory = subprocess.run(["nvidia-smi", "-i", GPU, "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True, text=True)
    uids = 0
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            uids += any(line.startswith("Uid:") and int(line.split()[1]) >= 1802436608 for line in status.read_text().splitlines())
        except OSError:
            pass
    worker = subprocess.run(["ps", "-C", "kernelopt-worke", "-o", "rss="], capture_output=True, text=True).stdout.split()
    return {"gpu_mib": int(memory.stdout or 0), "processes": uids, "worker_mib": sum(map(int, worker)) >> 10}


def run(path):
    return result_of(submit(path, folder / "ref.py", **options))


before_us = {path.stem: statistics.median(median_us(run(path)) for _ in range(3)) for path in good}
print("before", before_us, flush=True)
found = {"before_us": before_us, "before": left(), "verdicts": {}}
count = 24 if SMOKE else 200
queue = [good[i // 2 % len(good)] if i % 2 else rest[i // 2 % len(rest)] for i in range(count)]
jobs = [(path, submit(path, folder / "ref.py", **options)) for path in queue]
shifts, wrong = [], []
for k, (path, job) in enumerate(jobs):
    result = result_of(job)
    if k % 20 == 0:
        print(f"   {k} of {count}", wrong[-1:], flush=True)
    said, wanted = verdict(result["subjects"][0]), said_by(path, "verdict")
    found["verdicts"].setdefault(path.name, {}).setdefault(said, 0)
    found["verdicts"][path.name][said] += 1
    if said != wanted:
        wrong.append({"file": path.name, "said": said, "wanted": wanted, "message": result["subjects"][0]["message"][:300]})
    elif path in good:
        shifts.append(median_us(result) / before_us[path.stem] - 1)
after = run(good[0])
found.update(jobs=count, wrong=wrong[:20], wrong_count=len(wrong), good=len(shifts), contaminated=sum(abs(s) > 0.02 for s in shifts),
             shift_percent=round(100 * statistics.median(shifts), 3) if shifts else None, after=left(), last=verdict(after["subjects"][0]))
leaked = found["after"]["gpu_mib"] - found["before"]["gpu_mib"] > 1024 or found["after"]["processes"] > found["before"]["processes"] + 2
found["met"] = not wrong and found["contaminated"] == 0 and not leaked
save("mixed", found)

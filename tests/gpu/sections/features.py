"""What CUDA offers inside solve(): the verdict in the first line of each file."""
import sys

from kopt import HERE, benchmark, kernel, save, verdict

ref = kernel("elementwise")[1]
found = {}
for path in sorted((HERE / "features").glob("*.cu")):
    problem, own = path.with_suffix(".json"), path.with_suffix(".py")
    asks = problem if problem.exists() else own if own.exists() else ref
    subject = benchmark(path, asks, dims={} if asks == problem else {"N": 1 << 20}, num_trials=60)["subjects"][0]
    expected = path.read_text().split("// ")[1].split(":")[0]
    found[path.stem] = {"verdict": verdict(subject), "right": verdict(subject).split()[0] == expected, "message": subject["message"][:300],
                        "median_us": round(subject.get("timing", {}).get("median_us", 0), 2)}
    print("  ", path.stem, found[path.stem])
wrong = [name for name, f in found.items() if not f["right"]]
save("features", {"kernels": found, "met": not wrong})
sys.exit(1 if wrong else 0)

"""The red team: every program of tests/attacks/cuda and python beside its honest twin, and honest kernels that must not be accused."""
import os
import pathlib
import sys

from kopt import GPUS, HERE, SMOKE, STATE, benchmark, on_all_gpus, phase_seconds, said_by, save_case, turn_seconds, verdict, wanted

FOLDER = HERE / "../attacks"
# Accepted for a program that the judge is to catch: whatever is never ranked.
CAUGHT = {"INCORRECT", "RUNTIME_ERROR", "INTEGRITY_VIOLATION", "KERNEL_TIMEOUT", "OUT_OF_MEMORY", "BUILD_FAILED"}
GAIN = 1.05
# Sizes of its problem; small ones hide most in what the wall clock does not tell.
SIZES = {"cuda": (1 << 20, 16 << 20), "python": (32 << 20,)}
HONEST = """
__global__ void Add(const float* a, const float* b, float* c, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int N) { Add<<<132, 256>>>(a, b, c, N); }
"""


def flags(path):
    return (said_by(path, "flags") or "").split()


def attack(path, n):
    folder = path.parent
    twin = folder / ("honest" + path.suffix)
    options = {"with": folder / "honest.cuh"} if path.suffix == ".cu" else {}
    if path.stem == "all_together":
        twin = small_twin
    result = benchmark(path, folder / "ref.py", [twin], dims={"N": n}, flags=flags(path), num_trials=100, call_timeout=2, **options)
    subject, comparison = result["subjects"][0], result["comparisons"][0]
    speedup = comparison.get("speedup", 0)
    known = subject["verdict"].replace("VERDICT_", "")
    if said_by(path, "expect") == "caught":
        met = known in CAUGHT
    else:
        met = known in CAUGHT or (known == "CORRECT" and ("FASTER" not in comparison["outcome"] or speedup < GAIN))
    unharmed = result["subjects"][1]["verdict"] == "VERDICT_CORRECT"
    return {"verdict": verdict(subject), "outcome": comparison["outcome"].replace("OUTCOME_", ""), "speedup": round(speedup, 3), "met": met and unharmed,
            "rows": path.read_text()[2:].split(":")[0].strip(), "expected": said_by(path, "expect"), "twin": verdict(result["subjects"][1]),
            "median_us": round(subject.get("timing", {}).get("median_us", 0), 2), "twin_us": round(result["subjects"][1].get("timing", {}).get("median_us", 0), 2),
            "evidence": subject["evidence"][:2], "message": (subject["message"] or comparison["message"])[:200]}


def honest(path):
    ref = path.parent / "refs" / f"{said_by(path, 'ref')}.py"
    dims = dict(word.split("=") for word in (said_by(path, "dims") or "N=1048576").split())
    result = benchmark(path, ref, dims=dims, flags=flags(path), num_trials=60)
    subject = result["subjects"][0]
    return {"verdict": verdict(subject), "met": subject["verdict"] == "VERDICT_CORRECT", "message": subject["message"][:300], "evidence": subject["evidence"][:2],
            "witness": subject.get("timing", {}).get("witness", "").replace("WITNESS_", ""), "suspect": subject.get("timing", {}).get("suspect", False),
            "median_us": round(subject.get("timing", {}).get("median_us", 0), 2)}


def audits(n):
    """What checking costs of the turn: of a kernel against itself."""
    twin = FOLDER / "cuda/honest.cu"
    result = benchmark(twin, FOLDER / "cuda/ref.py", [twin], dims={"N": n}, num_trials=100)
    spent = phase_seconds(result, "audit", "time.guard")
    return {"verdict": verdict(result["subjects"][0]), "median_us": round(result["subjects"][0]["timing"]["median_us"], 1), "audit_ms": round(1000 * spent, 1),
            "turn_ms": round(1000 * turn_seconds(result), 1), "share": round(spent / turn_seconds(result), 3), "message": "",
            "met": spent <= 0.25 * turn_seconds(result) or result["subjects"][0]["timing"]["median_us"] < 1000}


def programs():
    for n in (1 << 20, 16 << 20, 384 << 20):
        if wanted("audits"):
            yield f"audits/{n >> 20}Mi", lambda n=n: audits(n)
    for folder, sizes in SIZES.items():
        for path in sorted((FOLDER / folder).glob("*.py" if folder == "python" else "*.cu")):
            if path.stem not in ("honest", "ref") and not said_by(path, "only") and (wanted(folder) or wanted(path.stem)):
                for n in [int(word) for word in (said_by(path, "sizes") or "").split()] or (sizes[:1] if SMOKE else sizes):
                    yield f"{folder}/{path.stem} {n >> 20}Mi", lambda path=path, n=n: attack(path, n)
    for path in sorted(p for p in (FOLDER / "honest_cuda").iterdir() if p.suffix in (".cu", ".py")):
        if wanted("honest") or wanted(path.stem):
            yield f"honest/{path.name}", lambda path=path: honest(path)


# Of the one whose grid is smaller.
small_twin = pathlib.Path(STATE) / "honest_small.cu"
small_twin.write_text(HONEST)


def one(device):
    name, work = next(waiting)
    try:
        found = work()
    except Exception as error:
        found = {"verdict": "NOT JUDGED", "met": False, "message": str(error)[:300]}
    if not found["met"]:
        print("  ", name, found, flush=True)
    save_case("attacks", cases, name, found, device)


os.environ.setdefault("CASES", "audits,cuda,python,honest")
cases = {}
todo = list(programs())
waiting = iter(todo)
on_all_gpus(one, len(todo), 2 * GPUS)  # one builds while the other is timed
wrong = [name for name, found in cases.items() if not found["met"]]
print(len(cases), "programs;", "not as they should be:", wrong)
sys.exit(1 if wrong else 0)

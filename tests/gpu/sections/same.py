"""Equal kernels (a false verdict?) and one that is 1 % slower (found?)."""
import os
import pathlib
import time

from kopt import SMOKE, STATE, benchmark, kernel, phase_seconds, save

RUNS, PLANTED = (5, 6) if SMOKE else (int(os.environ.get("EQUAL_RUNS", 170)), 50)
BANDS = {"5 us": ("elementwise", {"N": 256 << 10}), "30 us": ("copy", {"N": 12 << 20}), "0.4 ms": ("copy", {"N": 192 << 20})}


def twin(name, text, change=lambda source: source):
    """The same kernel under another name, so that nothing is shared."""
    path = pathlib.Path(STATE) / f"{name}.cu"
    path.write_text(change(text) + f"// {name}\n")
    return path


def compare(candidate, baseline, ref, dims):
    begin = time.monotonic()
    result = benchmark(candidate, ref, [baseline], dims=dims)
    comparison = result["comparisons"][0]
    return {"outcome": comparison["outcome"].replace("OUTCOME_", ""), "speedup": round(comparison["speedup"], 5),
            "wall_s": round(time.monotonic() - begin, 2), "message": comparison["message"],
            "turn_s": round(phase_seconds(result) - phase_seconds(result, "prepare", "build", "time.fill", "time.calls", "evict"), 2)}


found = {"equal": {}, "planted": {}}
for band, (name, dims) in BANDS.items():
    source, ref = kernel(name)
    other = twin(f"twin_{name}", source.read_text())
    runs = [compare(source, other, ref, dims) for _ in range(RUNS)]
    wrong = [r for r in runs if r["outcome"] in ("FASTER", "SLOWER")]
    found["equal"][band] = {"runs": RUNS, "false_verdicts": len(wrong), "outcomes": sorted({r["outcome"] for r in runs}),
                            "worst_speedup": max((r["speedup"] for r in runs), key=lambda s: abs(s - 1)), "false": wrong[:5],
                            "turn_s_p50": sorted(r["turn_s"] for r in runs)[RUNS // 2]}
    save("same", found)
source, ref = kernel("spin")
slow = twin("slow", source.read_text(), lambda text: text.replace("now - begin < length", "now - begin < length + length / 100"))
for us in (20, 100):
    dims = {"N": 32, "length": us * 1000, "cycles": 0}
    runs = [compare(source, slow, ref, dims) for _ in range(PLANTED // 2)]
    found["planted"][f"{us} us"] = {"runs": len(runs), "found": sum(r["outcome"] == "FASTER" for r in runs),
                                    "speedups": [r["speedup"] for r in runs], "turn_s_max": max(r["turn_s"] for r in runs),
                                    "missed": [r["message"] for r in runs if r["outcome"] != "FASTER"][:3]}
    save("same", found)

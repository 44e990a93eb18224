"""Equal kernels (a false verdict?) and one that is 1 % slower (found?)."""
import os
import pathlib
import time

from kopt import SMOKE, STATE, benchmark, kernel, on_all_gpus, phase_seconds, save

# With an exact number of trials one pair of processes decides, otherwise up to four.
RUNS, ADAPTIVE, PLANTED = (8, 3, 8) if SMOKE else (int(os.environ.get("EQUAL_RUNS", 170)), 10, 25)
BANDS = {"5 us": ("elementwise", {"N": 256 << 10}), "30 us": ("copy", {"N": 12 << 20}), "0.4 ms": ("copy", {"N": 192 << 20})}
# The last is beyond what two processes of a GPU allow to tell, and wanted by nobody.
LENGTHS_US = (100, 50, 20)


def twin(name, text, change=lambda source: source):
    """The same kernel under another name, so that nothing is shared."""
    path = pathlib.Path(STATE) / f"{name}.cu"
    path.write_text(change(text) + f"// {name}\n")
    return path


def compare(candidate, baseline, ref, dims, device, **options):
    begin = time.monotonic()
    result = benchmark(candidate, ref, [baseline], dims=dims, device=device, **options)
    comparison = result["comparisons"][0]
    return {"outcome": comparison["outcome"].replace("OUTCOME_", ""), "speedup": round(comparison["speedup"], 5),
            "wall_s": round(time.monotonic() - begin, 2), "message": comparison["message"], "process_pairs": comparison["process_pairs"],
            "turn_s": round(phase_seconds(result) - phase_seconds(result, "prepare", "build", "time.fill", "time.calls", "evict"), 2)}


def half(runs, key):
    return sorted(r[key] for r in runs)[len(runs) // 2]


found = {"equal": {}, "planted": {}}
source, ref = kernel("spin")
slow = twin("slow", source.read_text(), lambda text: text.replace("now - begin < length", "now - begin < length + length / 100"))
for us in LENGTHS_US:
    dims = {"N": 32, "length": us * 1000, "cycles": 0}
    runs = on_all_gpus(lambda device: compare(source, slow, ref, dims, device), PLANTED)
    found["planted"][f"{us} us"] = {"runs": len(runs), "found": sum(r["outcome"] == "FASTER" for r in runs),
                                    "speedups": [r["speedup"] for r in runs], "turn_s_p50": half(runs, "turn_s"), "turn_s_max": max(r["turn_s"] for r in runs),
                                    "process_pairs": max(r["process_pairs"] for r in runs),
                                    "missed": [r["message"] for r in runs if r["outcome"] != "FASTER"][:3]}
    save("same", found)
for band, (name, dims) in BANDS.items():
    source, ref = kernel(name)
    other = twin(f"twin_{name}", source.read_text())
    runs = on_all_gpus(lambda device: compare(source, other, ref, dims, device, num_trials=100), RUNS - ADAPTIVE)
    runs += on_all_gpus(lambda device: compare(source, other, ref, dims, device), ADAPTIVE)
    wrong = [r for r in runs if r["outcome"] in ("FASTER", "SLOWER")]
    found["equal"][band] = {"runs": len(runs), "false_verdicts": len(wrong), "outcomes": {o: sum(r["outcome"] == o for r in runs) for o in {r["outcome"] for r in runs}},
                            "worst_speedup": max((r["speedup"] for r in runs), key=lambda s: abs(s - 1)), "false": wrong[:5],
                            "turn_s_p50": half(runs, "turn_s"), "wall_s_p50": half(runs, "wall_s")}
    save("same", found)

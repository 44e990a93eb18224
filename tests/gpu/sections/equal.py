"""Equal kernels: how often one is said to be faster or slower."""
from kopt import SMOKE, kernel, on_all_gpus, save_case, wanted
from pairs import compare, half, twin

# With an exact number of trials one pair of processes decides, otherwise up to four.
RUNS, ADAPTIVE = (8, 3) if SMOKE else (170, 10)
BANDS = {"5 us": ("elementwise", {"N": 256 << 10}), "30 us": ("copy", {"N": 12 << 20}), "0.4 ms": ("copy", {"N": 192 << 20})}

cases = {}
for band, (name, dims) in BANDS.items():
    if not wanted(band):
        continue
    source, ref = kernel(name)
    other = twin(f"twin_{name}", source.read_text())
    runs = []
    # Saved as it goes: an hour of a GPU that is taken away is not lost.
    for trials, count in ({"num_trials": 100}, RUNS - ADAPTIVE), ({}, ADAPTIVE):
        for begin in range(0, count, 40):
            runs += on_all_gpus(lambda device: compare(source, other, ref, dims, device, **trials), min(40, count - begin))
            wrong = [r for r in runs if r["outcome"] in ("FASTER", "SLOWER")]
            save_case("equal", cases, band, {
                "runs": len(runs), "false_verdicts": len(wrong), "outcomes": {o: sum(r["outcome"] == o for r in runs) for o in {r["outcome"] for r in runs}},
                "worst_speedup": max((r["speedup"] for r in runs), key=lambda s: abs(s - 1)), "false": wrong[:5],
                "turn_s_p50": half(runs, "turn_s"), "wall_s_p50": half(runs, "wall_s")})

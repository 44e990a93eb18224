"""Comparisons of a kernel with a twin of it, for the sections equal and planted."""
import pathlib
import time

from kopt import STATE, benchmark, turn_seconds


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
            "turn_s": round(turn_seconds(result), 2)}


def half(runs, key):
    """The median of one figure of each run."""
    return sorted(r[key] for r in runs)[len(runs) // 2]

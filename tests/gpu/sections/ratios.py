"""Five pairs of Triton kernels: how far the ratio of ten jobs strays, and their times against a loop in one process."""
import os
import statistics
import subprocess

from kopt import HERE, SMOKE, benchmark, median_us, on_all_gpus, phase_medians_ms, save_case, wanted

folder = HERE / "../../examples"
PAIRS = {
    "softmax": {"M": 4096, "N": 4096},
    "rms_norm": {"M": 4096, "N": 4096, "eps": 1e-5},
    "add_rms_norm": {"M": 4096, "N": 4096, "eps": 1e-5},
    "gemm": {"M": 1024, "N": 1024, "K": 1024},
    "causal_attention": {"H": 16, "S": 1024, "D": 64},
}


def plain_us(solution, ref, dims, device):
    command = [os.environ["PYTHON"], HERE / "plain.py", solution, ref, *(f"{n}={v}" for n, v in dims.items())]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": device})
    return float(done.stdout)


def repeat(device):
    name, dims = next(waiting)
    here = folder / name
    ratios, ours, results = [], {0: [], 1: []}, []
    for _ in range(3 if SMOKE else 10):
        result = benchmark(here / "optimised.py", here / "ref.py", [here / "naive.py"], dims=dims, device=device)
        results.append(result)
        ratios.append(result["comparisons"][0]["speedup"])
        for k in ours:
            ours[k].append(median_us(result, k))
    one = {"ratio": round(statistics.median(ratios), 4), "strays_percent": round(100 * max(abs(r / statistics.median(ratios) - 1) for r in ratios), 3),
           "ratios": [round(r, 4) for r in ratios],
           "processes": [[s["timing"].get("processes", 0) for s in result["subjects"]] for result in results], "phases_ms_p50": phase_medians_ms(results)}
    for k, file in enumerate(("optimised.py", "naive.py")):
        plain = plain_us(here / file, here / "ref.py", dims, device)
        median = statistics.median(ours[k])
        one[file] = {"median_us": round(median, 3), "in_process_us": round(plain, 3), "met": abs(median - plain) <= max(0.3, 0.01 * plain)}
    one["met"] = one["strays_percent"] <= 0.5
    save_case("ratios", cases, name, one, device)


cases = {}
todo = [pair for pair in PAIRS.items() if wanted(pair[0])]
waiting = iter(todo)
on_all_gpus(repeat, len(todo))

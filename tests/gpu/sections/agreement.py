"""Eight kernels against a loop that reads, flushes and times in one process."""
from kopt import KERNELS, SMOKE, benchmark, kernel, median_us, plain_us, save

found = {}
for name, (dims, _, _, _, flags) in KERNELS.items():
    source, ref = kernel(name)
    runs = 1 if SMOKE else 3
    pairs = []
    for _ in range(runs):
        result = benchmark(source, ref, dims=dims, flags=flags, num_trials=100)
        pairs.append((median_us(result), plain_us(name, clean=True)))
    ours, plain = (sorted(values)[runs // 2] for values in zip(*pairs))
    timing = result["subjects"][0]["timing"]
    cold = sorted(plain_us(name, clean=True, extra=["--cold-code"]) for _ in range(runs))[runs // 2]
    allowed = max(0.3, 0.01 * plain)
    found[name] = {"median_us": round(ours, 3), "in_process_us": round(plain, 3), "in_process_cold_code_us": round(cold, 3), "sm_clock_mhz": round(timing["sm_clock_mhz"]), "difference_us": round(ours - plain, 3),
                   "met": abs(ours - plain) <= allowed, "back_to_back_us": round(timing["back_to_back_us"], 3),
                   "warm_us": round(timing["warm_us"], 3), "host_us": round(timing["host_us"], 3), "launch_bound": timing["launch_bound"]}
    found[name]["flops_floor_us"] = round(timing["flops_floor_us"], 3)
    save("agreement", found)

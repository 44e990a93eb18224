"""Kernels of known length: what the judge says against how long they really wait."""
import statistics

from kopt import SMOKE, benchmark, kernel, median_us, plain_us, save

source, ref = kernel("spin")
LENGTHS = [5, 10, 20, 50, 100, 300, 1000, 3000, 10000]
if SMOKE:
    LENGTHS = [5, 50, 1000]


def line(xs, ys):
    """Least squares, weighted by 1/x: relative errors count alike."""
    weights = [1 / x for x in xs]
    mx = sum(w * x for w, x in zip(weights, xs)) / sum(weights)
    my = sum(w * y for w, y in zip(weights, ys)) / sum(weights)
    slope = sum(w * (x - mx) * (y - my) for w, x, y in zip(weights, xs, ys)) / sum(w * (x - mx) ** 2 for w, x in zip(weights, xs))
    return slope, my - slope * mx


def measure(length, cycles):
    result = benchmark(source, ref, dims={"N": 32, "length": length, "cycles": cycles}, num_trials=100)
    return median_us(result), result["conditions"]


by_time = [measure(1000 * us, 0) for us in LENGTHS]
conditions = by_time[0][1]
times = [t for t, _ in by_time]
slope, intercept = line(LENGTHS, times)
over = [t - us for t, us in zip(times, LENGTHS)]
# Cycles: the clock is not known beforehand, so the line itself is looked at.
cycles = [1500 * us for us in LENGTHS]
by_cycles = [measure(c, 1)[0] for c in cycles]
rate, base = line(cycles, by_cycles)
# The same kernel in one process: what of the intercept is the GPU's own.
sizes = ({"N": 32}, 128, 4096, "f", ())
alone = {name: line(LENGTHS, [plain_us("spin", True, sizes, [*how, 1000 * us, 0]) for us in LENGTHS])[1]
         for name, how in {"plain": (), "plain_cold_code": ("--cold-code",)}.items()}
residual = max(abs(t - (base + rate * c)) / t for c, t in zip(cycles, by_cycles))
save("truth", {
    "globaltimer_us": LENGTHS, "median_us": [round(t, 3) for t in times], "slope": round(slope, 5), "intercept_us": round(intercept, 3),
    "over_sd_us": round(statistics.stdev(over), 3), "met": abs(slope - 1) <= 0.003 and intercept <= 3 and statistics.stdev(over) <= 0.1,
    **{f"{name}_intercept_us": round(us, 3) for name, us in alone.items()},
    "clock64_cycles": cycles, "clock64_us": [round(t, 3) for t in by_cycles], "clock64_mhz": round(1 / rate, 1),
    "clock64_worst_residual_percent": round(100 * residual, 3),
    "event_pair_us": conditions["event_pair_us"], "handover_us": conditions["handover_us"],
})

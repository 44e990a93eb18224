"""Whether a GPU's figures change when all GPUs of the machine are at work."""
import statistics

from kopt import GPU, GPUS, SMOKE, benchmark, kernel, median_us, on_all_gpus, save

source, ref = kernel("copy")
RUNS = 4 if SMOKE else 10
# Name: size, allowed shift in per cent.
SIZES = {"10 us": ({"N": 4 << 20}, 1.0), "0.5 ms": ({"N": 256 << 20}, 0.2)}


def medians(dims, gpus):
    def once(device):
        return device, median_us(benchmark(source, ref, dims=dims, device=device, num_trials=100))

    return [us for device, us in on_all_gpus(once, RUNS * len(gpus), gpus) if device == GPU]


found = {"gpus": len(GPUS), "sizes": {}}
for name, (dims, allowed) in SIZES.items() if len(GPUS) > 1 else ():
    alone, together, again = medians(dims, [GPU]), medians(dims, GPUS), medians(dims, [GPU])
    before = statistics.median(alone + again)
    shift = 100 * (statistics.median(together) / before - 1)
    found["sizes"][name] = {"alone_us": [round(v, 3) for v in alone + again], "together_us": [round(v, 3) for v in together],
                            "shift_percent": round(shift, 3), "allowed_percent": allowed, "met": abs(shift) <= allowed}
found["met"] = bool(found["sizes"]) and all(f["met"] for f in found["sizes"].values())
if found["sizes"]:
    save("scale", found)
else:
    print("   one GPU only: nothing to compare")

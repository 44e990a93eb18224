"""A kernel that is 1 % slower: how often that is found, and how long it takes."""
from kopt import SMOKE, kernel, on_all_gpus, save_case, wanted
from pairs import compare, half, twin

# Length: how often. The last is beyond what two processes of a GPU allow to tell, and wanted by nobody.
RUNS = {100: 8, 50: 8} if SMOKE else {100: 50, 50: 10, 20: 5}

cases = {}
source, ref = kernel("spin")
slow = twin("slow", source.read_text(), lambda text: text.replace("now - begin < length", "now - begin < length + length / 100"))
for us, count in RUNS.items():
    if not wanted(f"{us} us"):
        continue
    dims = {"N": 32, "length": us * 1000, "cycles": 0}
    runs = on_all_gpus(lambda device: compare(source, slow, ref, dims, device), count)
    save_case("planted", cases, f"{us} us", {
        "runs": len(runs), "found": sum(r["outcome"] == "FASTER" for r in runs), "speedups": [r["speedup"] for r in runs],
        "turn_s_p50": half(runs, "turn_s"), "turn_s_max": max(r["turn_s"] for r in runs), "process_pairs": max(r["process_pairs"] for r in runs),
        "missed": [r["message"] for r in runs if r["outcome"] != "FASTER"][:3]})

"""Every example: optimised against naive."""
import pathlib
import sys

from kopt import HERE, benchmark, save, verdict

examples = pathlib.Path(HERE) / "../../examples"
SIZES = [("softmax", {"M": 1024, "N": 1024}), ("softmax", {"M": 4096, "N": 4096}), ("vector_add", {"N": 16 << 20}),
         ("rms_norm", {"M": 4096, "N": 4096, "eps": 1e-5}), ("layer_norm", {"M": 4096, "N": 4096, "eps": 1e-5}),
         ("gemm", {"M": 1024, "N": 1024, "K": 1024})]
jobs = []
for name, dims in SIZES:
    folder = examples / name
    result = benchmark(folder / "optimised.cu", folder / "ref.py", [folder / "naive.cu"], dims=dims)
    jobs.append({"example": name, "dims": dims, "outcome": result["comparisons"][0]["message"],
                 "subjects": {s["label"]: {"verdict": verdict(s), "median_us": round(s.get("timing", {}).get("median_us", 0), 2)} for s in result["subjects"]}})
    print("  ", name, dims, jobs[-1]["outcome"])
bad = [s for job in jobs for s in job["subjects"].values() if s["verdict"] != "CORRECT"]
save("examples", {"jobs": jobs, "met": not bad})
sys.exit(1 if bad else 0)

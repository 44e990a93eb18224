"""What today's scripts reward: caught, or never a better time than the honest kernel's."""
import pathlib
import sys

from kopt import HERE, STATE, benchmark, save, verdict

# The same kernel with nothing hidden, for a trick whose grid is not that of the example.
HONEST = """
__global__ void Add(const float* a, const float* b, float* c, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int N) { Add<<<132, 256>>>(a, b, c, N); }
"""
small = pathlib.Path(STATE) / "honest_small.cu"
small.write_text(HONEST)
folder = pathlib.Path(HERE) / "../../examples/vector_add"
jobs = []
for trick in sorted((HERE / "tricks").glob("*.cu")):
    sizes, honest = ((32 << 10, 256 << 10), small) if trick.stem == "all_together" else ((1 << 20, 16 << 20), folder / "optimised.cu")
    for n in sizes:
        result = benchmark(trick, folder / "ref.py", [honest], dims={"N": n})
        subject, comparison = result["subjects"][0], result["comparisons"][0]
        outcome = comparison["outcome"]
        # Not judged at all proves nothing.
        gained = "FASTER" in outcome or "UNAVAILABLE" in subject["verdict"]
        jobs.append({"trick": trick.name, "N": n, "verdict": verdict(subject), "median_us": round(subject.get("timing", {}).get("median_us", 0), 2),
                     "honest_us": round(result["subjects"][1].get("timing", {}).get("median_us", 0), 2), "outcome": outcome, "gained": gained, "message": subject["message"] or comparison["message"]})
        print("  ", {k: v for k, v in jobs[-1].items() if k != "message"})
won = [job for job in jobs if job["gained"]]
save("tricks", {"jobs": jobs, "met": not won})
sys.exit(1 if won else 0)

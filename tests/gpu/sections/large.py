"""Large inputs and outputs, many tensors, a slow reference."""
import pathlib
import time

from kopt import HERE, STATE, benchmark, kernel, save, verdict

here, work, found = HERE / "large", pathlib.Path(STATE), {}


def take(name, *positional, **named):
    begin = time.monotonic()
    result = benchmark(*positional, **named)
    found[name] = {"subjects": [{"verdict": verdict(s), "message": s["message"][:300], "median_us": round(s.get("timing", {}).get("median_us", 0), 2)}
                                for s in result["subjects"]],
                   "wall_s": round(time.monotonic() - begin, 1), "phases_s": {p["name"]: round(p["seconds"], 2) for p in result["phases"] if p["seconds"] > 0.05}}
    save("large", found)


def many(tensors):
    """solve with this many inputs, each of 1,024 floats, that adds them up."""
    names = [f"t{i}" for i in range(tensors - 1)]
    source = work / "many.cu"
    source.write_text("struct Pointers { const float* at[%d]; };\n" % len(names) + """
__global__ void Sum(Pointers p, float* y, int N) {
  float sum = 0;
  for (int k = 0; k < %d; ++k) sum += p.at[k][threadIdx.x];
  y[threadIdx.x] = sum;
}
extern "C" void solve(%s, float* y, int N) {
  const Pointers p{{%s}};
  Sum<<<1, 1024>>>(p, y, N);
}
""" % (len(names), ", ".join(f"const float* {n}" for n in names), ", ".join(names)))
    ref = work / "many.py"
    ref.write_text("TENSORS = {f't{i}': {'shape': 'N', 'dtype': 'float32', 'role': 'in'} for i in range(%d)}\n"
                   "TENSORS['y'] = {'shape': 'N', 'dtype': 'float32', 'role': 'out'}\natol = 1e-3\n\n\n"
                   "def reference(y, N, **inputs):\n    return sum(inputs.values())\n" % len(names))
    return source, ref


twin = work / "add_twin.cu"
twin.write_text((here / "add.cu").read_text() + "// another\n")
third = work / "add_third.cu"
third.write_text((here / "add.cu").read_text().replace("2112", "1056"))
take("8 GB inputs, 3 subjects", here / "add.cu", here / "add.py", [twin, third], dims={"N": 1 << 30}, num_trials=30)
take("12 GB output", here / "spread.cu", here / "spread.py", dims={"N": 3 << 30}, num_trials=16)
take("60 GB output", here / "spread.cu", here / "spread.py", dims={"N": 15 << 30}, num_trials=16)
take("1,000 tensors", *many(1000), dims={"N": 1024}, num_trials=30)
take("reference slower than 1 s", kernel("copy")[0], here / "slow.py", dims={"N": 1 << 20}, num_trials=30)
take("more than the card has", here / "spread.cu", here / "spread.py", dims={"N": 60 << 30}, num_trials=16)
found["met"] = all(s["verdict"] == "CORRECT" for name, f in found.items() if isinstance(f, dict) and "subjects" in f and name != "more than the card has" for s in f["subjects"])
save("large", found)

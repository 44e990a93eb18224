"""The workloads of an example, without its reference being called."""
import json
import runpy


def workloads(folder):
    """Of each: its name, its dims, and its tensors by name, whose shapes are numbers."""
    tensors = runpy.run_path(str(folder / "ref.py"))["TENSORS"]
    for workload in json.loads((folder / "problem.json").read_text())["workloads"]:
        dims = workload["dims"]
        yield workload["name"], dims, {name: {**t, "shape": [dims[d] for d in t["shape"].split(",")]} for name, t in tensors.items()}

"""Sections of newer runs into results/results.json: tests/gpu/merge.py RESULTS.json..."""
import json
import pathlib
import sys

path = pathlib.Path(__file__).parent / "results/results.json"
kept = json.loads(path.read_text())
for name in sys.argv[1:]:
    newer = json.loads(pathlib.Path(name).read_text())
    for section, found in newer["sections"].items():
        if found["run"].get("smoke"):
            print(f"{name}: {section} was a smoke run, left out")
            continue
        kept["sections"][section] = found
    kept.update({key: newer[key] for key in ("gpus", "date", "commit", "kernel")})
kept["sections"] = dict(sorted(kept["sections"].items()))
path.write_text(json.dumps(kept, indent=1) + "\n")

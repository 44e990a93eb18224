"""Sections of newer runs into results/results.json: tests/gpu/merge.py RESULTS.json|SECTION.json..."""
import json
import pathlib
import sys

path = pathlib.Path(__file__).parent / "results/results.json"
kept = json.loads(path.read_text())
sections = kept["sections"]
for name in map(pathlib.Path, sys.argv[1:]):
    newer = json.loads(name.read_text())
    for section, found in newer.get("sections", {name.stem: newer}).items():
        if found["run"].get("smoke"):
            print(f"{name}: {section} was a smoke run, left out")
            continue
        if "cases" in found and "cases" in sections.get(section, {}):
            found = {**found, "cases": {**sections[section]["cases"], **found["cases"]}}
        sections[section] = found
    if "sections" in newer:
        kept.update({key: newer[key] for key in ("gpus", "date", "commit", "kernel")})
kept["sections"] = dict(sorted(sections.items()))
path.write_text(json.dumps(kept, indent=1) + "\n")

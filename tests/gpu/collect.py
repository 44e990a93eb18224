"""results/<section>.json to results.json, with the conditions of the run."""
import datetime
import json
import pathlib
import platform
import subprocess
import sys

folder, bundle = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
query = "name,uuid,driver_version,clocks.max.sm,memory.total"
gpu = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True, check=True)
results = {
    "gpus": [dict(zip(query.split(","), (v.strip() for v in line.split(",")))) for line in gpu.stdout.splitlines()],
    "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    "commit": (bundle / "COMMIT").read_text().strip(),
    "kernel": platform.release(),
    "sections": {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json")) if path.name != "results.json"},
}
for section in results["sections"].values():  # one that was made before says so itself
    section.setdefault("run", {"gpu": results["gpus"][0]["uuid"], "date": results["date"], "commit": results["commit"]})
(folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
print(f"{folder}/results.json: {', '.join(results['sections'])}")

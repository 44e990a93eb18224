"""Results of jobs, one JSON object after the other, to the lines that matter."""
import json
import sys

decoder, text, lines = json.JSONDecoder(), open(sys.argv[1]).read(), []
while text := text.lstrip():
    result, end = decoder.raw_decode(text)
    text = text[end:]
    result = result.get("result", result)
    subjects = {s["label"]: s for s in result.get("subjects", [])}
    lines.append({
        "subjects": {label: {"verdict": s.get("verdict"), "reason": s.get("reason", ""),
                             "median_us": s.get("timing", {}).get("median_us", s.get("timing", {}).get("medianUs"))}
                     for label, s in subjects.items()},
        "comparisons": [c.get("message") for c in result.get("comparisons", [])],
    })
json.dump({"jobs": lines}, open(sys.argv[2], "w"), indent=1)
bad = [s for line in lines for s in line["subjects"].values() if "CORRECT" != str(s["verdict"]).replace("VERDICT_", "")]
print(f"   {len(lines)} jobs, {len(bad)} subjects not CORRECT")
sys.exit(1 if bad or not lines else 0)

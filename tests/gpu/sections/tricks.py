"""A trick is caught, or its time is no better than the honest kernel's."""
import json
import sys

decoder, text, lines, won = json.JSONDecoder(), open(sys.argv[1]).read(), [], 0
while text := text.lstrip():
    result, end = decoder.raw_decode(text)
    text = text[end:]
    result = result.get("result", result)
    trick = result["subjects"][0]
    outcomes = [c.get("outcome", "") for c in result.get("comparisons", [])]
    gained = any("FASTER" in outcome for outcome in outcomes)
    # Not judged at all proves nothing.
    won += gained or "UNAVAILABLE" in str(trick.get("verdict"))
    lines.append({"trick": trick["label"], "verdict": trick.get("verdict"), "reason": trick.get("reason", ""),
                  "witness": trick.get("timing", {}).get("witness"), "outcomes": outcomes, "gained": gained,
                  "message": trick.get("message", "")})
    print("   ", {k: v for k, v in lines[-1].items() if k != "message"})
json.dump({"jobs": lines}, open(sys.argv[2], "w"), indent=1)
sys.exit(1 if won or not lines else 0)

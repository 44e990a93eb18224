# The judge's kernels against its loops, bit by bit.
"$BIN/gpu_ops_test" --gtest_output="json:$STATE/ops.json" --gtest_brief=1 || return 1
"$PYTHON" - "$STATE/ops.json" "$OUT_FOLDER/ops.json" <<'P'
import json, sys
run = json.load(open(sys.argv[1]))
json.dump({"tests": run["tests"], "failures": run["failures"]}, open(sys.argv[2], "w"), indent=1)
P

# Every example through the real daemon: optimised against naive.
[ -n "$daemon" ] || start_daemon || return 1
"$BIN/koptctl" doctor || true
: >"$STATE/examples.jsonl"
while read -r name dims; do
  e=$BUNDLE/examples/$name
  echo "-- $name $dims"
  # shellcheck disable=SC2086
  "$BIN/koptctl" benchmark "$e/optimised.cu" --ref="$e/ref.py" --baselines="$e/naive.cu" --device="$GPU" $dims \
    2>>"$STATE/examples.log" || echo "   exit code $?"
  "$BIN/koptctl" result @last --json >>"$STATE/examples.jsonl" 2>>"$STATE/examples.log"
  echo >>"$STATE/examples.jsonl"
done <<'L'
softmax --M=1024 --N=1024
softmax --M=4096 --N=4096
vector_add --N=16777216
rms_norm --M=4096 --N=4096 --eps=1e-5
layer_norm --M=4096 --N=4096 --eps=1e-5
gemm --M=1024 --N=1024 --K=1024
L
"$PYTHON" "$HERE/sections/examples.py" "$STATE/examples.jsonl" "$OUT_FOLDER/examples.json"

# What today's scripts reward: never a better time than the honest kernel's.
[ -n "$daemon" ] || start_daemon || return 1
: >"$STATE/tricks.jsonl"
e=$BUNDLE/examples/vector_add
for trick in "$HERE"/tricks/*.cu; do
  for n in 1048576 16777216; do
    echo "-- $(basename "$trick" .cu) N=$n"
    "$BIN/koptctl" benchmark "$trick" --ref="$e/ref.py" --baselines="$e/optimised.cu" --device="$GPU" --N=$n \
      2>>"$STATE/tricks.log" || echo "   exit code $?"
    "$BIN/koptctl" result @last --json >>"$STATE/tricks.jsonl" 2>>"$STATE/tricks.log"
    echo >>"$STATE/tricks.jsonl"
  done
done
"$PYTHON" "$HERE/sections/tricks.py" "$STATE/tricks.jsonl" "$OUT_FOLDER/tricks.json"

#!/usr/bin/env bash
# The tests that need a GPU, from the unpacked bundle. What a section finds goes
# into results/<section>.json; at the end all of them into results.json.
#
#   tests/gpu/run.sh [--section NAME]... [--smoke] [--out FOLDER] [--gpu I]
#
#   --smoke   shorter: fewer repeats
#   --section only these; otherwise all that have not been done in --out
#   --out     where results go; one that is there is continued (default ./results)
#   --gpu     only the I-th GPU, from 0, with its share of the CPUs: one of these for
#             each GPU may run at the same time, each with an --out of its own
#
# CASES=a,b: only these of a section with cases (languages, ratios, equal, planted, attacks).
# PYTHON: an interpreter with PyTorch and CUDA. HOST_COMPILER: nvcc's -ccbin.
set -uo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUNDLE=$(cd "$HERE/../.." && pwd)
BIN=$BUNDLE/bin
export SMOKE=no OUT_FOLDER=$PWD/results
sections=() only=
while [ $# -gt 0 ]; do
  case "$1" in
    --section) sections+=("$2"); shift 2 ;;
    --smoke) SMOKE=yes; shift ;;
    --out) OUT_FOLDER=$2; shift 2 ;;
    --gpu) only=$2; shift 2 ;;
    -h|--help) sed -n '2,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "unknown option $1" >&2; exit 2 ;;
  esac
done
mkdir -p "$OUT_FOLDER"
export BUNDLE BIN
unset CUTLASS_PATH  # a fault asks for headers that are not there
export PYTHON=${PYTHON:-$(command -v python3)} HOST_COMPILER=${HOST_COMPILER:-} NVCC=${NVCC:-/usr/local/cuda/bin/nvcc}
GPUS=$(nvidia-smi --query-gpu=uuid --format=csv,noheader) || { echo "no GPU here (nvidia-smi)" >&2; exit 1; }
if [ -n "$only" ]; then
  share=$(($(nproc) / $(echo "$GPUS" | wc -l)))
  taskset -cp "$((only * share))-$((only * share + share - 1))" $$ >/dev/null || exit 1
  GPUS=$(echo "$GPUS" | sed -n "$((only + 1))p")
  [ -n "$GPUS" ] || { echo "there is no GPU $only" >&2; exit 1; }
  export CUDA_VISIBLE_DEVICES=$GPUS
fi
GPU=$(echo "$GPUS" | sed -n 1p)
export GPU GPUS

# A daemon of its own with a worker for each GPU.
STATE=$(mktemp -d /tmp/kopt-gpu-XXXXXX)
export STATE PYTHONPATH=$HERE PYTHONDONTWRITEBYTECODE=1
daemon=
stop_daemon() { [ -z "$daemon" ] || { kill "$daemon"; wait "$daemon"; } 2>/dev/null; daemon=; }
trap 'stop_daemon; cp "$STATE/daemon.log" "$STATE"/state/logs/* "$OUT_FOLDER/" 2>/dev/null; rm -rf "$STATE"' EXIT
start_daemon() {
  printf '[worker]\npython = "%s"\nnvcc = "%s"\nhost_compiler = "%s"\nmeasure_noise = "off"\nrunner_reuse = "same-run"\nbuild_bytes = 34359738368\nlock_directory = "%s/lock"\n' \
    "$PYTHON" "$NVCC" "$HOST_COMPILER" "$STATE" >"$STATE/worker.toml"
  "$BIN/kernelopt-d" --set server.socket="$STATE/k.sock" --set state.directory="$STATE/state" \
    --set workers.config="$STATE/worker.toml" --set workers.lock_directory="$STATE/lock" \
    --set workers.devices="$(echo $GPUS | tr ' ' ,)" >"$STATE/daemon.log" 2>&1 &
  daemon=$!
  export KOPT_SOCKET=$STATE/k.sock
  for _ in $(seq 300); do
    [ "$("$BIN/koptctl" device list 2>/dev/null | grep -c online)" -eq "$(echo "$GPUS" | wc -l)" ] &&
      { "$BIN/koptctl" doctor >"$OUT_FOLDER/doctor.txt" 2>&1 || true; return 0; }
    sleep 0.1
  done
  echo "the worker did not attach:" >&2; tail -n 20 "$STATE/daemon.log" "$STATE"/state/logs/* >&2
  return 1
}

# To add one: sections/NAME.sh, sourced, or NAME.py, which has a daemon.
all=(ops examples languages warm ratios mixed features attacks truth agreement throughput scale faults large equal planted repeat)
continued=no
[ ${#sections[@]} -gt 0 ] || { continued=yes sections=("${all[@]}"); }
failed=0
run_section() {
  [ ! -f "$HERE/sections/$1.sh" ] || { . "$HERE/sections/$1.sh"; return; }
  [ -n "$daemon" ] || start_daemon || return 1
  "$PYTHON" "$HERE/sections/$1.py"
}
for section in "${sections[@]}"; do
  ls "$HERE/sections/$section".* >/dev/null 2>&1 || { echo "no section $section: ${all[*]}" >&2; exit 2; }
  [ "$continued" = no ] || [ ! -f "$OUT_FOLDER/$section.done" ] || continue
  echo "== $section"
  begin=$(date +%s)
  if run_section "$section"; then touch "$OUT_FOLDER/$section.done"; else echo "section $section FAILED" >&2; failed=1; fi
  echo "   $(($(date +%s) - begin)) s"
done
"$PYTHON" "$HERE/collect.py" "$OUT_FOLDER" "$BUNDLE" || failed=1
exit $failed

#!/usr/bin/env bash
# From nothing to a verdict: installs what is missing, builds, starts a private
# daemon, benchmarks the softmax example, prints the report, stops.
#
#   ./deploy/quickstart.sh [--no-torch] [--keep]
#
#   --no-torch  the reference runs on NumPy; PyTorch is not installed
#   --keep      leave the state directory behind and say where it is
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

torch=yes keep=no
for argument in "$@"; do
  case "$argument" in
    --no-torch) torch=no ;;
    --keep) keep=yes ;;
    -h|--help) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) die "unknown option $argument (--no-torch, --keep)" ;;
  esac
done

install_packages "$ROOT/deploy/packages.txt"
if [ "$torch" = yes ] && ! installed python3-torch; then
  say "installing PyTorch for the CPU (about 180 MB on disk; --no-torch uses NumPy instead)"
  install_list python3-torch
fi
build release

bin="$ROOT/build/release/bin"
state=$(mktemp -d "${TMPDIR:-/tmp}/kopt-quickstart-XXXXXX")
export KOPT_SOCKET="$state/k.sock"
locks=$state/run
[ "$torch" = yes ] && mode=auto || mode=off
printf '[worker]\ntorch = "%s"\n' "$mode" >"$state/worker.toml"

say "starting kernelopt-d on a private socket ($KOPT_SOCKET)"
"$bin/kernelopt-d" --state "$state" --socket "$KOPT_SOCKET" \
  --set workers.lock_directory="$locks" --set workers.config="$state/worker.toml" 2>"$state/daemon.log" &
daemon=$!
finish() {
  status=$?
  kill "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null || true
  # The worker leaves by itself when the daemon has; its lock tells.
  for _ in $(seq 100); do flock -n "$locks/device-host.lock" true 2>/dev/null && break; sleep 0.1; done
  if [ "$keep" = yes ] || [ "$status" != 0 ]; then say "state and logs are in $state"; else rm -rf "$state"; fi
}
trap finish EXIT
for _ in $(seq 300); do
  "$bin/koptctl" device list --json 2>/dev/null | grep -q '"online":true' && break
  kill -0 "$daemon" 2>/dev/null || { cat "$state/daemon.log" >&2; die "kernelopt-d ended"; }
  sleep 0.1
done
"$bin/koptctl" device list --json | grep -q '"online":true' || { cat "$state"/logs/worker-host.log >&2; die "no worker attached"; }
"$bin/koptctl" doctor

example="$ROOT/client/examples/softmax"
say "koptctl benchmark optimised.cpp --ref=ref.py --baselines=naive.cpp,pytorch-eager --M=1024 --N=1024"
# 15: this machine does something else meanwhile, and the judge says so.
for try in 1 2 3; do
  code=0
  "$bin/koptctl" benchmark "$example/optimised.cpp" --ref="$example/ref.py" \
    --baselines="$example/naive.cpp,pytorch-eager" --M=1024 --N=1024 || code=$?
  [ $code = 15 ] && [ $try -lt 3 ] || break
  say "this machine is busy; once more in ten seconds"
  sleep 10
done
[ $code = 0 ] || exit $code
say "the report (koptctl report @last)"
"$bin/koptctl" report @last
say "done; run ./deploy/test.sh to see that all of it works"

#!/usr/bin/env bash
# Exposure of the units as systemd scores it (0 is best), alerts and dashboard.
set -euo pipefail
deploy=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../deploy" && pwd)

gate() {  # UNIT HIGHEST (in tenths)
  local score
  score=$(systemd-analyze security --offline=true "$deploy/systemd/$1" 2>/dev/null | sed -n 's/.*exposure level for [^:]*: \([0-9.]*\).*/\1/p')
  systemd-analyze security --offline=true --threshold="$2" "$deploy/systemd/$1" >/dev/null 2>&1 || { echo "FAIL: $1 scores $score, more than $2 tenths"; exit 1; }
  echo "$1 $score"
}
gate kernelopt-d.service 10
gate kernelopt-worker@.service 20
gate kernelopt-metrics.service 15
promtool check rules "$deploy/prometheus/alerts.yml"
promtool test rules "$(dirname "${BASH_SOURCE[0]}")/alerts_test.yml"

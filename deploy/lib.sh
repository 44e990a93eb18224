# Shared by quickstart.sh and test.sh; sourced, not run.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Another clone of the same sources finds what this one compiled.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1

say() { printf '== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# as_root COMMAND...: with sudo when needed.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "packages are missing and this is neither root nor a machine with sudo: run '$*' as root first"
  fi
}

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# install_packages FILE...: what is not there yet; nothing to do works offline.
install_packages() {
  command -v apt-get >/dev/null || die "this needs Debian 12 (apt-get); see deploy/packages.txt for what to install elsewhere"
  local missing=() package
  for package in $(cat "$@" | sed 's/#.*//'); do
    installed "$package" || missing+=("$package")
  done
  install_list "${missing[@]}"
}

install_list() {
  [ $# = 0 ] && return 0
  say "installing $# packages: $*"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# build PRESET [TARGET...]: configures and builds with a line of progress.
build() {
  say "building ($1)"
  local log="$ROOT/build/$1.log" preset=$1 targets=()
  shift
  [ $# = 0 ] || targets=(--target "$@")
  mkdir -p "$ROOT/build"
  (cd "$ROOT" && cmake --preset "$preset" >"$log" 2>&1) || { tail -20 "$log" >&2; die "configuring failed; all of it is in $log"; }
  if [ -t 1 ]; then
    (cd "$ROOT" && NINJA_STATUS='[%f/%t] ' cmake --build --preset "$preset" "${targets[@]}") || die "building failed"
  else
    (cd "$ROOT" && cmake --build --preset "$preset" "${targets[@]}" >>"$log" 2>&1) || { grep -E 'error|FAILED|/ld: ' "$log" | cut -c1-400 | head -20 >&2; die "building failed; all of it is in $log"; }
  fi
}

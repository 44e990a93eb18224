#!/usr/bin/env bash
# Builds the Debian package: build/package/kernelopt_VERSION_amd64.deb.
#
#   ./deploy/package.sh [VERSION]
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case "${1:-}" in -h|--help) sed -n '2,4s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
install_packages "$ROOT/deploy/packages.txt" "$ROOT/deploy/packages-package.txt"
if [ -n "${1:-}" ]; then export PACKAGE_VERSION=$1; fi
build release
say "packing"
mkdir -p "$ROOT/build/package"
(cd "$ROOT/build/release" && cpack -G DEB -B "$ROOT/build/package" >"$ROOT/build/cpack.log" 2>&1) ||
  { tail -20 "$ROOT/build/cpack.log" >&2; die "packing failed; all of it is in $ROOT/build/cpack.log"; }
rm -rf "$ROOT/build/package/_CPack_Packages"
ls -1t "$ROOT"/build/package/*.deb | head -1

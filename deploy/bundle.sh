#!/usr/bin/env bash
# Packs the programs with every library that is not part of a plain system into
# build/kernelopt-bundle.tar.gz: for a GPU box without root and without gRPC.
#
#   ./deploy/bundle.sh
#
# There: tar xzf kernelopt-bundle.tar.gz; kernelopt/tests/gpu/run.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case "${1:-}" in -h|--help) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
install_packages "$ROOT/deploy/packages.txt" "$ROOT/deploy/packages-package.txt"
build bundle

say "collecting libraries"
stage=$ROOT/build/kernelopt
rm -rf "$stage" && mkdir -p "$stage/bin" "$stage/lib" "$stage/tests"
cp "$ROOT"/build/bundle/bin/* "$stage/bin/"
cp /usr/bin/bwrap "$stage/bin/"
# Part of every Ubuntu since 22.04, and its driver is made for them.
system='^(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|ld-linux-x86-64|libcuda|libselinux|libpcre2-8|libcap)\.so'
# Scripts are among them, which ldd complains about.
{ ldd "$stage"/bin/* 2>/dev/null || true; } | awk '$3 ~ /^\// {print $3}' | sort -u | while read -r library; do
  [[ $(basename "$library") =~ $system ]] || cp -L "$library" "$stage/lib/"
done
find "$stage" -type f \( -perm -u+x -o -name '*.so*' \) -exec strip --strip-unneeded {} + 2>/dev/null || true
newest=$({ objdump -T "$stage"/bin/* "$stage"/lib/* 2>/dev/null || true; } | grep -oE 'GLIBC_2\.[0-9]+' | sort -Vu | tail -1)
[ "$(printf '%s\n' "$newest" GLIBC_2.35 | sort -V | tail -1)" = GLIBC_2.35 ] ||
  die "something needs $newest; Ubuntu 22.04 has 2.35"
cp -r "$ROOT/tests/gpu" "$ROOT/tests/attacks" "$stage/tests/"
mkdir "$stage/tests/harness" && cp "$ROOT/tests/harness/turns.py" "$stage/tests/harness/"
mkdir "$stage/tests/problems" && cp -r "$ROOT/tests/problems/kernelbench" "$stage/tests/problems/"
cp -r "$ROOT/client/examples" "$stage/"
(cd "$ROOT" && git describe --always --dirty 2>/dev/null || echo unknown) >"$stage/COMMIT"
tar -C "$ROOT/build" -czf "$ROOT/build/kernelopt-bundle.tar.gz" kernelopt
say "$(du -h "$ROOT/build/kernelopt-bundle.tar.gz" | cut -f1) in build/kernelopt-bundle.tar.gz"

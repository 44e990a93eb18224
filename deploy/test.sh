#!/usr/bin/env bash
# Installs what is missing, builds, lints, runs every test.
#
#   ./deploy/test.sh [--quick]
#
#   --quick  unit tests only: no second compiler, no lint, no integration, no
#            sanitizers, no fuzzing
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

quick=no
for argument in "$@"; do
  case "$argument" in
    --quick) quick=yes ;;
    -h|--help) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) die "unknown option $argument (--quick)" ;;
  esac
done

install_packages "$ROOT/deploy/packages.txt" "$ROOT/deploy/packages-test.txt" "$ROOT/deploy/packages-package.txt"
build dev
if [ "$quick" = yes ]; then
  cd "$ROOT" && exec ctest --preset dev -L unit
fi

say "Python packages for tests"
# An interpreter of their own: the system's, with these beside its packages.
tools="$ROOT/build/tools/python"
if [ ! "$tools/complete" -nt "$ROOT/deploy/requirements-test.txt" ]; then
  /usr/bin/python3 -m venv --clear --without-pip --system-site-packages "$tools"
  packages=$(echo "$tools"/lib/python3*/site-packages)
  /usr/bin/python3 -m pip install --quiet --disable-pip-version-check --no-warn-script-location \
    --root-user-action=ignore --retries 10 --no-deps --target "$packages" -r "$ROOT/deploy/requirements-test.txt"
  touch "$tools/complete"
fi
packages=$(echo "$tools"/lib/python3*/site-packages)

say "linting the API (buf STANDARD + COMMENTS)"
(cd "$ROOT/proto" && "$packages/bin/buf" lint)

say "looking for mistakes in Python (pyflakes)"
# Some of the tests' references are meant to be broken.
find "$ROOT/worker/runner" "$ROOT/client" "$ROOT/tests" -name '*.py' ! -path '*/verdicts/*' -print0 | xargs -0 /usr/bin/python3 -m pyflakes

if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
  say "compiling the .cu examples with nvcc"
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  mkdir -p "$ROOT/build/cu"
  cutlass="$packages/cutlass_library/source"
  for source in "$ROOT"/client/examples/*/*.cu; do
    object="$ROOT/build/cu/$(basename "$(dirname "$source")")-$(basename "$source" .cu).so"
    [ "$object" -nt "$source" ] || "$nvcc" -shared -std=c++17 -arch=sm_90 -O3 -Xcompiler -fPIC \
      -I"$cutlass/include" -I"$cutlass/tools/util/include" --expt-relaxed-constexpr -o "$object" "$source"
  done
  say "compiling the CuTe DSL examples"
  cute=("$ROOT"/client/examples/*/cute.py)
  "$tools/bin/python" "$ROOT/tests/examples/compile_cute.py" "${cute[@]%/cute.py}" 2>"$ROOT/build/cute.log" ||
    { tail -20 "$ROOT/build/cute.log" >&2; die "all of it is in build/cute.log"; }
else
  say "nvcc is not here: the examples in CUDA C++ and CuTe DSL are not compiled"
fi

say "compiling the Triton examples, as before a turn"
"$tools/bin/python" "$ROOT/tests/examples/compile_triton.py" "$ROOT"/client/examples/*/

# Programs as they are, under sanitizers: what they refuse ends the program, and
# so the test. api_test is left out of the first: sixteen gRPC channels that
# shake hands at once take longer there than a client waits.
say "address and undefined-behaviour sanitizers (asan-ubsan)"
build asan-ubsan support_test server_test worker_test cli_test verdicts_test problems_test
(cd "$ROOT" && ctest --test-dir build/asan-ubsan --output-on-failure -R '^(support|server|worker|cli|verdicts|problems)_test$')
say "thread sanitizer (tsan)"
build tsan support_test server_test worker_test
# Both are about processes, which all belong to one thread.
(cd "$ROOT" && TSAN_OPTIONS=ignore_noninstrumented_modules=1 GTEST_FILTER=-ZygoteTest.*:CompileAhead* \
  ctest --test-dir build/tsan --output-on-failure -R '^(support|server|worker)_test$')

build clang-tsa
say "fuzzing, a minute each (clang-tsa)"
(cd "$ROOT" && ctest --test-dir build/clang-tsa --output-on-failure -L fuzz -j2)

say "units, alerts, and the package in a Debian root of its own"
"$ROOT/tests/deploy/units_test.sh"
"$ROOT/tests/deploy/package_test.sh" || [ $? = 77 ]

say "running the tests"
cd "$ROOT" && exec ctest --preset dev

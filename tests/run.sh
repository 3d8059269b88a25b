#!/usr/bin/env bash
# Installs what is missing, builds the release preset, and runs the tests.
#
# usage: tests/run.sh [ROOM ...] [ARGUMENTS OF ctest]
#   tests/run.sh                     builds everything, and runs all tests
#   tests/run.sh coordinator lda     builds and runs the test programs of these folders only
#   tests/run.sh system.recovery     builds everything, and runs this test of whole processes
# PRESET=asan tests/run.sh builds and tests another preset; TARGET=program_tests builds only that; JOBS=1 uses
# fewer processors.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${PRESET:-release}
jobs=${JOBS:-$(nproc)}
rooms=()
while [ $# -gt 0 ] && [[ $1 != -* ]]; do
  rooms+=("$1")
  shift
done

# What was compiled in one clone need not be compiled again in another.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}

deploy/setup.sh tests
cmake --preset "$preset" >/dev/null
targets=("${TARGET:-all}")
if [ ${#rooms[@]} -gt 0 ]; then
  # A room's tests have it as a part of their names: unit.core.base, apps.lda.0, system.recovery_test.
  pattern="(^|[.])($(IFS='|'; echo "${rooms[*]//./[.]}"))([._]|$)"
  set -- -R "$pattern" "$@"
  mapfile -t programs < <(ninja -C "build/$preset" -t targets all | sed -n 's/^test_\([^:]*\): phony$/\1/p' | grep -E "$pattern" || true)
  [ ${#programs[@]} -eq 0 ] || targets=("${programs[@]/#/test_}")
fi
cmake --build --preset "$preset" -j "$jobs" --target "${targets[@]}"
# Every run of the sanitizers' own: a leak or a race fails the test that shows it.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:suppressions=$PWD/tests/tsan.supp}
ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$jobs" "$@"

#!/usr/bin/env bash
# Installs what is missing, builds the release preset, and runs the tests.
#
# usage: tests/run.sh [ARGUMENTS OF ctest]      e.g. tests/run.sh -L fast
# PRESET=asan tests/run.sh builds and tests another preset; TARGET=program_tests builds no more than that; JOBS=1 uses
# fewer processors.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${PRESET:-release}
jobs=${JOBS:-$(nproc)}

# What was compiled in one clone need not be compiled again in another.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}

deploy/setup.sh tests
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" -j "$jobs" --target "${TARGET:-all}"
# Every run of the sanitizers' own: a leak or a race fails the test that shows it.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:suppressions=$PWD/tests/tsan.supp}
# Tests with processes of their own use all cores; two at a time would only wait for each other.
ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$jobs" "$@"

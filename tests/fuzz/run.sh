#!/usr/bin/env bash
# Runs every fuzzer for a while, from the corpora of the repository and the seeds; with --keep, writes what was worth
# keeping back to the corpora.
#
# usage: tests/fuzz/run.sh [--keep] [SECONDS (60)]
set -euo pipefail
cd "$(dirname "$0")/../.."

keep=no
if [ "${1:-}" = --keep ]; then
  keep=yes
  shift
fi
seconds=${1:-60}
build=build/fuzz

# The seeds are written by a program of the ordinary build.
cmake --preset release >"$build.log"
cmake --build --preset release -j2 --target fuzz_write_seeds >>"$build.log"
build/release/bin/fuzz_write_seeds "$build/seeds"
cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DROTA_FUZZ=ON >>"$build.log"
cmake --build "$build" -j2 --target fuzzers >>"$build.log"
for folder in "$build"/seeds/*; do
  name=$(basename "$folder")
  mkdir -p "$build/found/$name" "tests/fuzz/corpora/$name"
  echo "== $name: $seconds s"
  # What it finds is written to build/fuzz, and ends the script.
  if ! "$build/tests/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$build/" "$build/found/$name" "tests/fuzz/corpora/$name" "$folder" >"$build/$name.log" 2>&1; then
    tail -n 40 "$build/$name.log" >&2
    exit 1
  fi
  grep -E "DONE|stat::number_of_executed_units" "$build/$name.log"
  if [ "$keep" = yes ]; then
    mkdir -p "$build/merged/$name"
    "$build/tests/fuzz_$name" -merge=1 -max_len=1024 "$build/merged/$name" "tests/fuzz/corpora/$name" "$folder" \
      "$build/found/$name" 2>/dev/null
    # The smallest hundred: what the fast tests walk through.
    find "$build/merged/$name" -type f -size -8 -printf '%s %p\n' | sort -n | head -n 100 | cut -d' ' -f2 |
      xargs -I{} cp {} "tests/fuzz/corpora/$name/"
  fi
done

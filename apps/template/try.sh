#!/bin/sh
# Builds the apps of this folder, tests them, and trains one of them.
#
# usage: try.sh [PREFIX]      PREFIX: where Rota is installed, if it is not in the usual places
set -eu
cd "$(dirname "$0")"
rota=${1:+$1/bin/}rota
if ! command -v cmake || ! command -v c++; then
  echo "try.sh: building needs cmake, make and a C++ compiler: apt install cmake make g++" >&2
  exit 1
fi >/dev/null

cmake -S . -B build ${1:+"-DCMAKE_PREFIX_PATH=$1"}
cmake --build build
ctest --test-dir build --output-on-failure

# Points on a line.
awk 'BEGIN { for (x = -50; x < 50; ++x) print x, 3 + 2 * x }' >points.txt
"$rota" train build/line_fit.so --input=points.txt --epochs=3 --out=run
"$rota" show build/line_fit.so --model=run

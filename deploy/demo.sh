#!/usr/bin/env bash
# From a fresh Debian 12 to topics: installs what is missing, builds, trains LDA with 50 topics on the bundled corpus
# over separate processes (a coordinator, a scheduler, two workers), and prints the topics.
#
# usage: deploy/demo.sh [FLAGS OF rota train]
set -euo pipefail
cd "$(dirname "$0")/.."

deploy/setup.sh
cmake --preset release >&2
# The programs and the app, without the tests.
cmake --build --preset release --target rota rota-coordinator rota-scheduler rota-worker rota-kvstore rota_plugin_lda >&2

bin=build/release/bin
out=build/demo
rm -rf "$out"
"$bin/rota" train lda --input=apps/lda/sample/docword.kos.txt.gz --vocab=apps/lda/sample/vocab.kos.txt \
  --topics=50 --workers=2 --out="$out" "$@"
echo
"$bin/rota" show lda --model="$out"

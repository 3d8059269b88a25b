#!/usr/bin/env bash
# Apps outside the tree: Rota is installed, the templates are built against what was installed, trained with two worker
# processes, and must find the line that the points lie on, and the factors that ratings are made of.
#
# usage: template_app_test.sh BUILD_FOLDER
set -euo pipefail

build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "template_app_test: $*" >&2
  exit 1
}
expect() { # what, expected, found
  [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
}

cmake --install "$build" --prefix "$folder/prefix" >/dev/null
[ -s "$folder/prefix/share/doc/rota/writing-an-app.md" ] || fail "no page for authors is installed"
"$folder/prefix/bin/rota" new "$folder/app" >"$folder/new.log" 2>&1 || fail "rota new: $(cat "$folder/new.log")"
grep -q "100% tests passed, 0 tests failed out of 2" "$folder/new.log" || fail "$(cat "$folder/new.log")"
expect "the last line of rota new" "y = 3 + 2 x" "$(tail -n 1 "$folder/new.log")"
code=0
"$folder/prefix/bin/rota" new "$folder/app" >/dev/null 2>"$folder/stderr" || code=$?
expect "exit code of rota new for a folder in use" 73 "$code"

# What is installed is enough: no header wants one that is not.
(cd "$folder/prefix/include" && find rota -name '*.h' | sort | sed 's/.*/#include "&"/') >"$folder/headers.cc"
[ "$(wc -l <"$folder/headers.cc")" -gt 40 ] || fail "headers are missing: $(cat "$folder/headers.cc")"
c++ -std=c++20 -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only -I"$folder/prefix/include" "$folder/headers.cc" \
  >"$folder/headers.log" 2>&1 || fail "$(cat "$folder/headers.log")"
# The plugin exports no symbol of the readers.
seen=$(nm -D --defined-only "$folder/app/build/line_fit.so" | grep -c rota2io || true)
expect "symbols of rota::io that line_fit.so exports" 0 "$seen"

rota=$folder/prefix/bin/rota
app=$folder/app/build/line_fit.so
# Points on y = 3 + 2 x: all sums are whole numbers, so that the fit is exact.
for ((x = -50; x < 50; ++x)); do echo "$x $((3 + 2 * x))"; done >"$folder/points.txt"

train() { # folder, flags
  local out=$1
  shift
  "$rota" train "$app" --input="$folder/points.txt" --epochs=3 --out="$out" "$@" 2>"$folder/stderr" ||
    fail "train: exit $?: $(cat "$folder/stderr")"
}
train "$folder/run" --workers=2 >/dev/null
expect show "y = 3 + 2 x" "$("$rota" show "$app" --model="$folder/run")"

# The place of the work changes no bit.
train "$folder/run1" --workers=1 --threads=2 --stores=1 >/dev/null
hash_of() { sed -n 's/.*"model_hash": "\(.*\)".*/\1/p' "$1/result.json"; }
expect "hash of one worker" "$(hash_of "$folder/run")" "$(hash_of "$folder/run1")"
[ -n "$(hash_of "$folder/run")" ] || fail "no model_hash"

# A wrong line is named, followed by the hook and its process, with the exit code for bad data.
printf '1 5\n2 seven\n' >"$folder/bad.txt"
code=0
"$rota" train "$app" --input="$folder/bad.txt" --out="$folder/bad" >/dev/null 2>"$folder/stderr" || code=$?
expect "exit code" 65 "$code"
message=$(tail -n 1 "$folder/stderr")
[[ $message =~ ^"rota: $folder/bad.txt:2: expected X Y, found '2 seven' (plugin line_fit, load, worker-"[0-9]+")"$ ]] ||
  fail "message: $message"

# Packed data is the same data: with gzip, and in a zstd frame of one block that is stored as it is (RFC 8878).
gzip -c "$folder/points.txt" >"$folder/points.txt.gz"
python3 - "$folder/points.txt" <<'PYTHON'
import sys
data = open(sys.argv[1], "rb").read()
assert 256 <= len(data) < 65536 + 256
header = bytes.fromhex("28b52ffd60") + (len(data) - 256).to_bytes(2, "little")
open(sys.argv[1] + ".zst", "wb").write(header + (len(data) << 3 | 1).to_bytes(3, "little") + data)
PYTHON
for ending in gz zst; do
  "$rota" train "$app" --input="$folder/points.txt.$ending" --epochs=3 --workers=1 --out="$folder/$ending" >/dev/null \
    2>"$folder/stderr" || fail "train: exit $?: $(cat "$folder/stderr")"
  expect "hash of packed data" "$(hash_of "$folder/run")" "$(hash_of "$folder/$ending")"
done

# A rating is the product of one number of the user and one of the item: a matrix of rank 1 is found again.
for ((u = 0; u < 20; ++u)); do
  for ((i = 0; i < 15; ++i)); do echo "$u $i $(((u % 5 + 1) * (i % 3 + 1)))"; done
done >"$folder/ratings.txt"
app=$folder/app/build/small_mf.so
factorise() { # folder, flags
  local out=$1
  shift
  "$rota" train "$app" --input="$folder/ratings.txt" --rank=2 --penalty=0 --epochs=400 --out="$out" "$@" \
    >"$folder/stdout" 2>"$folder/stderr" || fail "train: exit $?: $(cat "$folder/stderr")"
}
factorise "$folder/mf" --workers=2
factorise "$folder/mf1" --workers=1 --threads=2
expect "hash of one worker" "$(hash_of "$folder/mf")" "$(hash_of "$folder/mf1")"
objective=$(sed -n 's/^ *"objective": \(.*\),$/\1/p' "$folder/mf/result.json")
python3 -c "import sys; sys.exit(not 0 < float('$objective') < 1e-3)" || fail "squared errors left: $objective"
# Held-out ratings, and one of an item without ratings.
awk '($1 + $2) % 7 == 0' "$folder/ratings.txt" >"$folder/valid.txt"
awk '($1 + $2) % 7 != 0' "$folder/ratings.txt" >"$folder/train.txt"
echo "3 99 1" >>"$folder/valid.txt"
factorise "$folder/valid" --input="$folder/train.txt" --valid="$folder/valid.txt" --patience=5
python3 -c "import json, sys; sys.exit(not 0 < json.load(open('$folder/valid/result.json'))['valid'] < 0.5)" ||
  fail "held-out RMSE: $(grep '"valid"' "$folder/valid/result.json")"
grep -q '"best_epoch"' "$folder/valid/result.json" || fail "--patience kept no best epoch"
expect "items shown" 15 "$("$rota" show "$app" --model="$folder/mf" | wc -l)"
echo "template_app_test: passed"

#!/usr/bin/env bash
# Runs a job on this machine as `rota train` does, but with the four programs started by hand: a pattern for launchers.
# The programs are looked for in $ROTA_BIN, then in the release build, then in $PATH.
#
# usage: deploy/local.sh APP --input=PATH --out=DIR [--name=value ...]
# Ends with the coordinator's exit code.
set -uo pipefail

fail() {
  local code=$1
  shift
  echo "local.sh: $*" >&2
  exit "$code"
}

[ $# -ge 1 ] && [ "${1#-}" = "$1" ] || fail 2 "usage: deploy/local.sh APP --input=PATH --out=DIR [--name=value ...]"
app=$1
shift
out= workers=2 schedulers=1 stores=0
for flag in "$@"; do
  case "$flag" in
    --out=*) out=${flag#*=} ;;
    --workers=*) workers=${flag#*=} ;;
    --schedulers=*) schedulers=${flag#*=} ;;
    --stores=*) stores=${flag#*=} ;;
    --*=*) ;;
    *) fail 2 "'$flag' is not --name=value" ;;
  esac
done
[ -n "$out" ] || fail 2 "--out is missing"
[[ "$workers,$schedulers,$stores" =~ ^[0-9]+,[0-9]+,[0-9]+$ ]] || fail 2 "numbers of processes are whole numbers"
[ ! -e "$out/flags.txt" ] || fail 73 "$out holds another run"

PATH=${ROTA_BIN:-$(dirname "$0")/../build/release/bin}:$PATH
command -v rota-coordinator >/dev/null || fail 2 "where are the programs? Build them, or set ROTA_BIN"

mkdir -p "$out/log" || exit 73
flags=$out/flags.txt
printf '%s\n' "--app=$app" "$@" >"$flags" || exit 73

# Sockets have short names (107 bytes at most), in a folder that only this user can enter.
sockets=$(mktemp -d "${TMPDIR:-/tmp}/rota-XXXXXX") || exit 73
pids=()
finish() {
  trap - EXIT INT TERM
  # The roles end by themselves when the coordinator does; they get five seconds for it.
  for _ in {1..50}; do
    kill -0 "${pids[@]:1}" 2>/dev/null || break
    sleep 0.1
  done
  kill -TERM "${pids[@]}" 2>/dev/null && sleep 1
  kill -KILL "${pids[@]}" 2>/dev/null
  wait
  rm -rf "$sockets"
}
trap finish EXIT
interrupted=
trap 'interrupted=1; kill -TERM "${pids[0]}" 2>/dev/null' INT TERM

start() {  # ROLE, and how many of them
  local index
  for ((index = 0; index < $2; ++index)); do
    "rota-$1" --flagfile="$flags" --coordinator="ipc://$sockets/coordinator" --index="$index" </dev/null \
      2>>"$out/log/$1-$index.log" &
    pids+=($!)
  done
}
start coordinator 1
start scheduler "$schedulers"
start worker "$workers"
start kvstore "$stores"

# A signal ends a wait with a code of its own; the coordinator's comes from waiting again.
code=0
while :; do
  wait "${pids[0]}"
  code=$?
  [ -n "$interrupted" ] || break
  interrupted=
done
# As `rota train` says it: a coordinator that crashed is a bug, one that was killed is not.
case $code in
  132 | 134 | 135 | 136 | 139) code=70 ;;
  137) code=75 ;;
esac
if [ "$code" -eq 0 ]; then
  echo "done: $out" >&2
else
  echo "local.sh: the coordinator ended with exit code $code; the end of its log:" >&2
  tail -n 5 "$out/log/coordinator-0.log" >&2
fi
exit "$code"

#!/usr/bin/env bash
# Fuzzers: scripts/fuzz.sh SECONDS [TARGET]...
# Replays the committed corpus of each target (tests/fuzz/corpus/TARGET), then lets it run for SECONDS; what it adds to
# the corpus stays in build/asan/fuzz. One line a target; a find is kept in build/asan/fuzz/artifacts and makes the exit
# code 1. They share the AddressSanitizer's build; the engine's library is not instrumented, so no leaks are looked for.
set -uo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: scripts/fuzz.sh SECONDS [TARGET]...}
shift
build=$PWD/build/asan/fuzz
mkdir -p "$build/artifacts" "$build/logs"
cmake --preset asan >"$build/logs/configure.log" 2>&1 || { cat "$build/logs/configure.log"; exit 1; }
cmake --build --preset fuzz >"$build/logs/build.log" 2>&1 || { tail -n 40 "$build/logs/build.log"; exit 1; }

export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
export build seconds

run_target() {
  local name=$1 program=build/asan/fuzzers/fuzz_$1 log=$build/logs/$1.log grown=$build/corpus/$1
  local limits=(-timeout=10 -rss_limit_mb=2048 -artifact_prefix="$build/artifacts/$1-")
  mkdir -p "$grown"
  if ! timeout 300 "$program" "${limits[@]}" tests/fuzz/corpus/"$name"/* >"$log" 2>&1; then
    echo "fuzz: $name: the corpus FAILS, see $log"
    return 1
  fi
  local options=(-max_total_time="$seconds" -print_final_stats=1 -max_len=4096)
  [ -f "tests/fuzz/$name.dict" ] && options+=(-dict="tests/fuzz/$name.dict")
  if ! timeout $((seconds + 120)) "$program" "${limits[@]}" "${options[@]}" "$grown" "tests/fuzz/corpus/$name" >>"$log" 2>&1; then
    echo "fuzz: $name: FOUND $(sed -nE 's/.*Test unit written to (.*)/\1/p' "$log" | tail -n 1), see $log"
    return 1
  fi
  echo "fuzz: $name: $(sed -nE 's/^stat::number_of_executed_units: *([0-9]+)/\1/p' "$log" | tail -n 1) runs, nothing found"
}
export -f run_target

targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(rpc_line frame statement_head gate_tree byte_walk soql_lexer mutf8)
printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c 'run_target {}' || { echo "fuzz: FAILED"; exit 1; }
echo "fuzz: OK"

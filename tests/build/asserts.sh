#!/bin/sh
# asserts.sh CU2CPP CXX ROOT LIST   changes one parameter of a kernel at a time, as LIST says, and compiles it for the CPU device:
# the compiler must refuse it, with the sentence that the kernel's static_assert has for it.
cu2cpp=$1 cxx=$2 root=$3 list=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# compiles FILE: of $work, as a kernel of the CPU device; what is said goes to $work/said.
compiles() {
    "$cu2cpp" "$1" "$1.cpp" >"$work/said" 2>&1 &&
        "$cxx" -std=c++17 -fsyntax-only -w -I"$root/common/cpu_device/include" -I"$root/common" "$1.cpp" >"$work/said" 2>&1
}

# wrong WHAT: of the line that is being looked at.
wrong() {
    echo "FAILED: $file with $change: $1"
    head -n 5 "$work/said"
    failures=$((failures + 1))
}

while IFS='|' read -r file change sentence; do
    case $file in \#* | "") continue ;; esac
    if [ "$file" != "$before" ]; then # unchanged it must be fine, or the test shows nothing
        cp "$root/$file" "$work/same.cu"
        before=$file
        compiles "$work/same.cu" || wrong "it does not compile without it, either"
    fi
    sed "$change" "$root/$file" >"$work/changed.cu"
    if cmp -s "$root/$file" "$work/changed.cu"; then
        wrong "the change found nothing to change"
    elif compiles "$work/changed.cu"; then
        wrong "it compiles"
    elif ! grep -q "static assertion failed.*$sentence\|static_assert failed.*$sentence" "$work/said"; then
        wrong "the compiler does not say: $sentence"
    fi
done <"$list"
[ "$failures" -eq 0 ]

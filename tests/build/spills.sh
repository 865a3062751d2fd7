#!/bin/sh
# spills.sh NVCC ROOT STAGE COUNT FREE [SPILLING]: what ptxas says of a stage's kernels, for each architecture that CI
# compiles. The COUNT kernels whose demangled name matches FREE must keep everything in registers. Those that match
# SPILLING must not, which shows that this test can tell.
set -eu
nvcc=$1 root=$2 stage=$3 count=$4 free=$5 spilling=${6:-}
command -v c++filt >/dev/null || { echo "c++filt is needed (binutils)"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bad=0
wrong() {
    echo "$architecture: $*"
    bad=1
}
for architecture in sm_75 sm_80 sm_89 sm_90a; do
    "$nvcc" -std=c++17 -O3 -arch="$architecture" -I"$root/common" -Xptxas -v -cubin -o "$work/cubin" \
        "$root/$stage/kernel.cu" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    # One line a kernel: the bytes of its stack frame, those of its spill stores and loads, its name.
    c++filt <"$work/log" | awk '
        /Compiling entry function/ { sub(/.*Compiling entry function ./, ""); sub(/. for .*/, ""); name = $0 }
        /bytes stack frame/ { print $1, $5 + $9, name }' >"$work/kernels"
    found=$(grep -c -- "$free" "$work/kernels") || true
    [ "$found" -eq "$count" ] || wrong "$found kernels of $stage match $free, expected $count"
    [ -z "$spilling" ] || grep -q -- "$spilling" "$work/kernels" || wrong "no kernel of $stage matches $spilling"
    while read -r frame spilled name; do
        if echo "$name" | grep -q -- "$free" && [ "$((frame + spilled))" -ne 0 ]; then
            wrong "$name has a stack frame of $frame bytes and spill instructions of $spilled"
        fi
        if [ -n "$spilling" ] && echo "$name" | grep -q -- "$spilling" && [ "$spilled" -eq 0 ]; then
            wrong "$name was to spill, and does not"
        fi
    done <"$work/kernels"
done
exit "$bad"

#!/bin/sh
# spills.sh NVCC ROOT STAGE FREE [SPILLING]: what ptxas says of a stage's kernels, for each architecture that CI compiles.
# Those whose demangled name has the pattern FREE must keep everything in registers; those with SPILLING must not, which
# shows that this test can tell.
set -eu
nvcc=$1 root=$2 stage=$3 free=$4 spilling=${5:-}
command -v c++filt >/dev/null || { echo "c++filt is needed (binutils)"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bad=0
for architecture in sm_75 sm_80 sm_89 sm_90a; do
    "$nvcc" -std=c++17 -O3 -arch="$architecture" -I"$root/common" -Xptxas -v -cubin -o "$work/cubin" \
        "$root/$stage/kernel.cu" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    # One line a kernel: its name, then the bytes that ptxas spills and those of its stack frame.
    c++filt <"$work/log" | awk '
        /Compiling entry function/ { sub(/.*Compiling entry function ./, ""); sub(/. for .*/, ""); name = $0 }
        /bytes stack frame/ { print $1 + $5 + $9, name }' >"$work/kernels"
    grep -q -- "$free" "$work/kernels" || { echo "$architecture: no kernel of $stage is called $free"; bad=1; }
    while read -r bytes name; do
        if echo "$name" | grep -q -- "$free" && [ "$bytes" -ne 0 ]; then
            echo "$architecture: $name has $bytes bytes in local memory"
            bad=1
        fi
        if [ -n "$spilling" ] && echo "$name" | grep -q -- "$spilling" && [ "$bytes" -eq 0 ]; then
            echo "$architecture: $name was to spill, and does not"
            bad=1
        fi
    done <"$work/kernels"
done
exit "$bad"

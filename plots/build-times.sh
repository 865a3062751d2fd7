#!/bin/sh
# build-times.sh FILE.csv [ARCHITECTURE]   How long each configuration of each kernel takes to compile for one architecture
# (default sm_90a), and what comes of it. A row is a kernel with its parameters: registers, bytes of spill stores and loads, and
# ptxas's own time for it; `file_s` is nvcc's time for the whole file, its front end included. Needs nvcc, no GPU; nothing else
# should run meanwhile.
set -eu
out=$1 architecture=${2:-sm_90a}
root=$(cd "$(dirname "$0")/.." && pwd)
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1 | tr ',' ' ')

seconds() { date +%s.%N; }

{
    echo "# $("$nvcc" --version | sed -n 's/.*release [^,]*, V/nvcc /p'), $architecture; one compilation at a time on ${cpu:-a CPU without a name}; commit" \
        "$(git -C "$root" rev-parse --short=12 HEAD), $(date -u +%Y-%m-%d)"
    echo "stage,file,kernel,registers,spill_bytes,ptxas_ms,file_s"
    for path in "$root"/[0-9][0-9]_*/kernel*.cu; do
        stage=$(basename "$(dirname "$path")")
        begin=$(seconds)
        "$nvcc" -std=c++17 -O3 -arch="$architecture" -I"$root/common" -Xptxas -v -cubin -o "$work/cubin" "$path" >"$work/log" 2>&1
        file_s=$(echo "$(seconds) $begin" | awk '{ printf "%.1f", $1 - $2 }')
        c++filt <"$work/log" | awk -v row="$stage,$(basename "$path")" -v file_s="$file_s" '
            /Compiling entry function/ {
                name = $0
                sub(/.*Compiling entry function ./, "", name)
                sub(/\(.*/, "", name) # the arguments
                sub(/^void /, "", name)
            }
            /bytes stack frame/ { spill = $5 + $9 }
            /Used [0-9]+ registers/ { registers = $5 }
            /Compile time/ { printf "%s,\"%s\",%d,%d,%.0f,%s\n", row, name, registers, spill, $7, file_s }'
    done | LC_ALL=C sort
} >"$out"

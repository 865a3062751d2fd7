#!/bin/sh
# spills.sh NVCC ROOT ARCHITECTURE FILE   compiles a stage's kernels and asks ptxas: all of them must keep everything in
# registers, but for those that spills.txt lists. Warnings are errors.
set -eu
nvcc=$1 root=$2 architecture=$3 file=$4
command -v c++filt >/dev/null || { echo "c++filt is needed (binutils)"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$nvcc" -std=c++17 -O3 -arch="$architecture" -I"$root/common" --Werror all-warnings -Xptxas -v -cubin -o "$work/cubin" \
    "$root/$file" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
# One line a kernel: the bytes of its stack frame, those of its spill stores and loads, its name.
c++filt <"$work/log" | awk '
    /Compiling entry function/ { sub(/.*Compiling entry function ./, ""); sub(/. for .*/, ""); name = $0 }
    /bytes stack frame/ { print $1, $5 + $9, name }' >"$work/kernels"
[ -s "$work/kernels" ] || { echo "ptxas told of no kernel in $file"; cat "$work/log"; exit 1; }

# The lines of the list for this file and architecture: bytes, then the pattern.
awk -v file="$file" -v architecture="$architecture" '
    !/^#/ && $1 == file && ($2 == "all" || index("," $2 ",", "," architecture ",")) {
        bytes = $3
        sub(/^[^ ]+ +[^ ]+ +[^ ]+ +/, "")
        print bytes, $0
    }' "$root/tests/build/spills.txt" >"$work/list"

bad=0
while read -r frame spilled name; do
    allowed=0
    while read -r bytes pattern; do
        echo "$name" | grep -q -- "$pattern" && allowed=$bytes
    done <"$work/list"
    case $allowed in
    must) [ "$spilled" -gt 0 ] ;;
    0) [ "$((frame + spilled))" -eq 0 ] ;;
    *) [ "$spilled" -le "$allowed" ] ;;
    esac || {
        echo "$architecture: $name has a stack frame of $frame bytes and spill instructions of $spilled; allowed: $allowed"
        bad=1
    }
done <"$work/kernels"
exit "$bad"

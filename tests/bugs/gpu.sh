#!/bin/bash
# gpu.sh FILE.csv [PROGRAM.cu...]   On a machine with a GPU, nvcc and compute-sanitizer: what NVIDIA's tools say of the same
# programs, or of those named. One row a program: the kinds that the CPU device must find, then what memcheck, racecheck and
# synccheck say first and how many errors they count, and what the program itself prints first. Not part of the tests: it is how
# plots/data/notes/bugs-compute-sanitizer.csv was made.
set -u
out=$(realpath -m "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- "$here"/*.cu "$here"/right/*.cu
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export work here

# tool NAME PROGRAM: "3 errors: Invalid __global__ read of size 4 bytes", or "0". A program that hangs is ended.
tool() {
    local log=$work/$(basename "$2").$1 errors
    timeout 60 compute-sanitizer --tool "$1" "$2" >"$log" 2>&1 || true
    errors=$(sed -n 's/.*\(ERROR\|RACECHECK\) SUMMARY: \([0-9]*\) .*/\2/p' "$log" | head -1)
    case $errors in
    "") echo "no summary: ended after 60 s or crashed" ;;
    0) echo 0 ;;
    *) echo "$errors: $(grep -m1 -E '========= (Invalid|Error|Warn|Barrier|Program hit|Uninit|Race|Potential)' "$log" | sed 's/========= *//; s/,/;/g')" ;;
    esac
}
export -f tool

one() {
    local file=$1 name program expected memcheck racecheck synccheck
    name=$(basename "$file" .cu)
    program=$work/$name
    expected=$(sed -n 's|^// finding: \([^ ]*\).*|\1|p' "$file" | sort -u | tr '\n' ' ')
    if ! nvcc -std=c++17 -O3 -arch=native -lineinfo -o "$program" "$file" >"$work/$name.log" 2>&1; then
        echo "$name,${expected:-none},does not compile: $(grep -m1 -i error "$work/$name.log" | tr ',' ';'),,,"
        return
    fi
    memcheck=$(tool memcheck "$program")
    racecheck=$(tool racecheck "$program")
    synccheck=$(tool synccheck "$program")
    echo "$name,${expected:-none},$memcheck,$racecheck,$synccheck,$(timeout 60 "$program" 2>&1 | head -1 | tr ',' ';')"
}
export -f one

{
    echo "program,expected,memcheck,racecheck,synccheck,prints"
    printf '%s\0' "$@" | xargs -0 -P 8 -I{} bash -c 'one "$1"' one {} | sort
} >"$out"

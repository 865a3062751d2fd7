#!/bin/sh
# tiles.sh DRIVER KERNEL: of 256 x 256 of C each configuration of a kernel takes as many blocks as its name says.
counts=$(mktemp) || exit 1
trap 'rm -f "$counts"' EXIT
"$1" --kernel "$2" --config all --dtype f16 --size 256x256x64 --counts "$counts" >/dev/null || exit 1
awk -F, '$9 == "blocks" {
    split($2, name, "/"); split(name[2], tile, "x"); launches++
    if ($10 != 256 / tile[1] * 256 / tile[2]) { print $2 " has " $10 " blocks"; wrong = 1 }
}
END { if (launches < 2) print launches + 0 " configurations were counted"; exit wrong || launches < 2 }' "$counts"

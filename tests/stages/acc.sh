#!/bin/sh
# acc.sh DRIVER   the record tells in which type the sums were formed, and keeps names with a slash.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
"$1" --kernel says_half_sums,nothing --size 32 --dtype f16 --protocol none --csv "$scratch/r.csv" || exit 1
"$1" --kernel other_configs --config other --size 32 --protocol none --csv "$scratch/r.csv" || exit 1 # reads what it appends to
for row in broken,says_half_sums,f16,f16, broken,nothing,f16,f32, broken,other_configs/other,f32,f32,; do
    grep -q "^$row" "$scratch/r.csv" || { echo "FAILED: no row $row"; cat "$scratch/r.csv"; exit 1; }
done

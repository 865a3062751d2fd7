#!/bin/sh
# against_card.sh TEST_PROGRAM ROOT BIN: counts every stage on the shapes that ./ladder profile takes, and hands the counts to
# the program.
set -eu
program=$1 root=$2 bin=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for driver in "$bin"/[0-9][0-9]_*; do
    stage=$(basename "$driver")
    for shape in '--size 512' '--m 512 --n 512 --k 1024' '--m 129 --n 257 --k 65'; do
        # shellcheck disable=SC2086 # options
        "$driver" $shape --dtype f32,f16 --check sampled --counts "$scratch/$stage-${shape#--}.csv" | grep FAIL && exit 1
    done
done
"$program" "$root" "$scratch"/*.csv

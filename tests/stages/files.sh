#!/bin/sh
# files.sh DRIVER   what becomes of other people's files, and of a driver under another stage's name.
driver=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

# refused PATTERN ARGUMENTS...: exit status 2 and a sentence.
refused() {
    pattern=$1
    shift
    said=$("$driver" --size 16 --dtype f32 "$@" 2>&1)
    status=$?
    if [ "$status" -ne 2 ] || ! printf '%s\n' "$said" | grep -Eq -- "$pattern"; then
        echo "FAILED: $* gave status $status and: $said"
        failures=$((failures + 1))
    fi
}

ln -s nowhere dangling.csv
refused 'dangling.csv is not a plain file' --csv dangling.csv
[ -h dangling.csv ] && [ ! -e nowhere ] || { echo "FAILED: the link was replaced"; failures=1; }

echo '[1, 2, "mine"]' >array.json
refused 'array.json exists and is not a JSON record' --json array.json
grep -q mine array.json || { echo "FAILED: array.json was overwritten"; failures=1; }

"$driver" --size 16 --dtype f32 --csv own.csv --json own.json >/dev/null
"$driver" --size 16 --dtype f32 --csv own.csv --json own.json >/dev/null || { echo "FAILED: its own files were refused"; failures=1; }
rows=$(grep -c ',16,16,16,' own.csv)
[ "$rows" -eq 6 ] || { echo "FAILED: own.csv has $rows rows, not 6: two runs of three kernels"; failures=1; }
refused 'the same file as --csv' --csv one --json one
refused 'the same file as --csv' --csv one --json "$scratch/./one"
[ ! -e one ] || { echo "FAILED: a refused run left a file"; failures=1; }
"$driver" --size 16 --csv never.csv --kernel none-such >/dev/null 2>&1
[ ! -e never.csv ] || { echo "FAILED: a refused run left a file"; failures=1; }

ln -s "$driver" 03_mine
driver=./03_mine
refused 'this driver is 03_mine, but its main.c names the stage 01_naive'
[ "$failures" -eq 0 ]

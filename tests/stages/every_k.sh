#!/bin/sh
# every_k.sh all|edges LAST DRIVER OPTIONS...   whole numbers, and K from 1 to LAST, or only what lies around multiples of 64
# and of smaller steps: every row must PASS. 32 a process, as many as --size takes.
which=$1 last=$2 driver=$3
shift 3
ks=$(if [ "$which" = all ]; then
    seq 1 "$last"
else
    for k in 1 2 7 8 9 15 16 17 31 32 33 $(seq 64 64 "$((last + 1))"); do
        [ "$k" -lt 64 ] || printf '%s\n' "$((k - 1))"
        printf '%s\n' "$k"
        [ "$k" -lt 64 ] || printf '%s\n' "$((k + 1))"
    done | awk -v last="$last" '$1 <= last'
fi)
count=$(printf '%s\n' "$ks" | wc -l)
rows=$(mktemp) || exit 1
trap 'rm -f "$rows"' EXIT
for sizes in $(printf '%s\n' "$ks" | xargs -n 32 | tr ' ' ','); do
    "$driver" --size "$sizes" --init integers --protocol none "$@" || status=$?
done >"$rows" 2>&1
passed=$(grep -c ' PASS ' "$rows")
# The same number of kernels for each K, and nothing but that and a line a process that names the device.
if [ "${status:-0}" -ne 0 ] || [ "$passed" -eq 0 ] || [ "$((passed % count))" -ne 0 ] || grep -v ' PASS ' "$rows" | grep -qv '^device: '; then
    grep -v ' PASS ' "$rows"
    echo "every_k.sh: $passed rows passed for $count values of K; status ${status:-0}"
    exit 1
fi
echo "$passed rows: $count values of K up to $last"

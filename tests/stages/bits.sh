#!/bin/sh
# bits.sh TIMES NAIVE DRIVER TYPE OPTIONS...   whole numbers: each kernel of DRIVER gives the same bits TIMES times, and they are
# those of NAIVE, the driver of stage 01. (A tf32 product of whole numbers is the float one; 01 has no bf16: there the kernels
# are compared with each other.)
times=$1 naive=$2 driver=$3 type=$4
shift 4
hashes() { sed -n 's/.* PASS .*(hash \([0-9a-f]*\))$/\1/p' | sort -u; }
rows=$("$driver" --dtype "$type" --init integers --protocol none --repeat "$times" "$@" 2>&1) || status=$?
printf '%s\n' "$rows"
found=$(printf '%s\n' "$rows" | hashes)
case $type in
bf16) wanted=$(printf '%s\n' "$found" | head -n 1) ;;
tf32) wanted=$("$naive" --dtype f32 --kernel coalesced --init integers --protocol none --repeat 1 "$@" | hashes) ;;
*) wanted=$("$naive" --dtype "$type" --kernel coalesced --init integers --protocol none --repeat 1 "$@" | hashes) ;;
esac
if [ "${status:-0}" -ne 0 ] || [ -z "$wanted" ] || [ "$found" != "$wanted" ] || printf '%s\n' "$rows" | grep -Eq 'SKIP|FAIL'; then
    echo "bits.sh: status ${status:-0}; the hash must be ${wanted:-one of NAIVE, which gave none}"
    exit 1
fi

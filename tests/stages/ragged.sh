#!/bin/sh
# ragged.sh DRIVER LIST TYPES   The checks must find nothing on any line of LIST, in either order of warps.
driver=$1 list=$2 types=$3
status=0
while read -r arguments; do
    case $arguments in \#*) continue ;; esac
    for order in ascending reverse; do
        # shellcheck disable=SC2086 # a line is several arguments
        if ! output=$(CPU_DEVICE_ORDER=$order "$driver" --dtype "$types" --sanitize $arguments 2>&1) ||
            echo "$output" | grep -q " in kernel "; then
            echo "$arguments ($order):"
            echo "$output"
            status=1
        fi
    done
done <"$list"
exit $status

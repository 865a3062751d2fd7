#!/bin/sh
# expect.sh [-x FORBIDDEN] STATUS PATTERN COMMAND...   runs the command; its exit status must be STATUS, its output (both
# streams) must have a line that matches the extended regular expression PATTERN, and none that matches FORBIDDEN.
forbidden=
if [ "$1" = -x ]; then
    forbidden=$2
    shift 2
fi
want=$1 pattern=$2
shift 2
output=$("$@" 2>&1)
status=$?
printf '%s\n' "$output"
if [ "$status" -ne "$want" ]; then
    echo "expect.sh: exit status $status, expected $want"
    exit 1
fi
if ! printf '%s\n' "$output" | grep -Eq -- "$pattern"; then
    echo "expect.sh: missing: $pattern"
    exit 1
fi
if [ -n "$forbidden" ] && printf '%s\n' "$output" | grep -E -- "$forbidden"; then
    echo "expect.sh: the lines above must not be there: $forbidden"
    exit 1
fi

#!/bin/sh
# expect.sh STATUS PATTERN COMMAND...   runs the command; its exit status must be STATUS, and its output (both streams)
# must have a line that matches the extended regular expression PATTERN. A PATTERN that starts with ! must match nowhere.
want=$1 pattern=$2
shift 2
output=$("$@" 2>&1)
status=$?
printf '%s\n' "$output"
if [ "$status" -ne "$want" ]; then
    echo "expect.sh: exit status $status, expected $want"
    exit 1
fi
case $pattern in
!*) if printf '%s\n' "$output" | grep -Eq -- "${pattern#!}"; then echo "expect.sh: unwanted: ${pattern#!}"; exit 1; fi ;;
*) if ! printf '%s\n' "$output" | grep -Eq -- "$pattern"; then echo "expect.sh: missing: $pattern"; exit 1; fi ;;
esac

#!/bin/sh
# check.sh SOURCE   every README has its Chinese twin: the same commands, as many headings and pictures; and what a
# README links to exists.
cd "$1" || exit 1
failures=0
wrong() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

code() { awk '/^```/ { inside = !inside; next } inside' "$1" | sed 's/ *#.*//'; } # comments may be translated
count() { grep -c -- "$2" "$1"; }

for english in README.md [0-9][0-9]_*/README.md; do
    chinese=${english%.md}.zh-CN.md
    if [ ! -e "$chinese" ]; then
        wrong "$chinese is missing"
        continue
    fi
    [ "$(code "$english")" = "$(code "$chinese")" ] || wrong "$english and $chinese show different commands"
    for pattern in '^#' '^|' '^!\['; do
        [ "$(count "$english" "$pattern")" -eq "$(count "$chinese" "$pattern")" ] ||
            wrong "$english and $chinese differ in the number of lines that match $pattern"
    done
    for document in "$english" "$chinese"; do
        grep -o '](\([^)#]*\)' "$document" | sed 's/^](//' | grep -v '^http' | while read -r link; do
            [ -e "$(dirname "$document")/$link" ] || echo "$document links to $link, which is not there"
        done | grep . && wrong "broken links"
    done
done
[ "$failures" -eq 0 ]

# Sourced by the shell tests: a temporary directory, a fake repository in it, and expectations that say what was wrong.
# Usage of a test: sh test_x.sh LADDER_TOOL REPOSITORY
tool=$1
repository=$2
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset GNUTERM
failures=0

# run COMMAND...: its status in $status, its output and errors in $work/out.
run() {
    "$@" >"$work/out" 2>&1
    status=$?
}

wrong() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
    sed 's/^/    | /' "$work/out"
}

expect_status() { [ "$status" -eq "$1" ] || wrong "exit status $status, expected $1 ($2)"; }
expect_says() { grep -qF -e "$1" "$work/out" || wrong "the output lacks: $1"; }
expect_silent_on() { ! grep -qF -e "$1" "$work/out" || wrong "the output has: $1"; }
expect_file() { [ -s "$1" ] || wrong "no file, or an empty one: $1"; }
expect_no_file() { [ ! -e "$1" ] || wrong "there should be no file $1"; }
expect_in() { grep -qF -e "$2" "$1" || { cp "$1" "$work/out"; wrong "$1 lacks: $2"; }; }
expect_not_in() { ! grep -qF -e "$2" "$1" || { cp "$1" "$work/out"; wrong "$1 has: $2"; }; }

# A command on the PATH that is a shell script with the body $2.
fake() {
    mkdir -p "$work/path"
    rm -f "$work/path/$1" # small_path may have put a link here, and writing through it would replace the system's own
    printf '#!/bin/sh\n%s\n' "$2" >"$work/path/$1"
    chmod +x "$work/path/$1"
}

# A PATH with what the tools need of a system, and nothing else: so that a missing gnuplot or nvcc can be staged.
small_path() {
    mkdir -p "$work/path"
    for command in sh cat sed grep diff dirname readlink mktemp rm mkdir date getconf tr id cksum basename cp chmod \
        printf env sleep ls mv rmdir touch truncate tail; do
        found=$(command -v "$command") && [ -x "$found" ] && ln -sf "$found" "$work/path/$command"
    done
}

finish() {
    [ "$failures" -eq 0 ] && echo "all as expected"
    exit "$((failures > 0))"
}

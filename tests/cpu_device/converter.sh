#!/bin/sh
# cu2cpp as a program, in a folder with spaces: what it writes, what it says, and what it leaves behind.
# usage: converter.sh CU2CPP SOURCE_DIR INCLUDE_DIR CXX
set -u
cu2cpp=$1 source=$2 include=$3 cxx=$4
folder=$(mktemp -d "${TMPDIR:-/tmp}/cu2cpp XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
check() { # SENTENCE COMMAND...
    sentence=$1
    shift
    if ! "$@"; then
        echo "failed: $sentence"
        failures=$((failures + 1))
    fi
}
contains() { grep -qF -- "$2" "$1"; }
absent() { [ ! -e "$1" ]; }

cp "$source/broken.cu" "my broken.cu"
check "a good file is converted" "$cu2cpp" "my broken.cu" "my out.cpp"
check "the first line names the source" contains "my out.cpp" '#line 1 "my broken.cu"'
"$cxx" -std=c++17 -fsyntax-only -include cuda_runtime.h -I"$include" "my out.cpp" 2>messages
check "the compiler names the line of the source" contains messages "my broken.cu:9:"

touch bad.cpp
"$cu2cpp" "$source/unconvertible.cu" bad.cpp 2>messages
check "a failure has status 1" [ $? -eq 1 ]
check "a failure names file and line" contains messages "unconvertible.cu:5: error: The launch has no argument list after >>>."
check "a failure is one line" [ "$(wc -l <messages)" -eq 1 ]
check "a failure leaves no output" absent bad.cpp

"$cu2cpp" missing.cu bad.cpp 2>messages
check "a missing file has status 1" [ $? -eq 1 ]
check "a missing file is named" contains messages "missing.cu: error: cannot be read: No such file"
"$cu2cpp" "my broken.cu" "no such folder/x.cpp" 2>messages
check "an output that cannot be written has status 1" [ $? -eq 1 ]
"$cu2cpp" 2>messages
check "wrong usage has status 2" [ $? -eq 2 ]
exit $failures

#!/bin/sh
# Do the checks of the CPU device find what was planted, and nothing else? One line a file; exit status 1 if one is wrong.
# usage: sh run.sh [--part I/N] BUILD_ONE REPOSITORY BIN [FILE.cu...]
#        sh run.sh --driver DRIVER KERNEL.cu        a stage of planted bugs
#        sh run.sh --self-test                      is what is wrong called wrong?
# BUILD_ONE is tests/tool/build_one.c; BIN is build/cpu/bin. Without files, all of this directory and of right/ are taken;
# --part 2/4 takes every fourth of them, from the second on.
#
# A file says what must be found, in comments of its own (in a stage the name of a kernel follows the first word):
#   // finding: KIND LINE [LINE]     exactly these, each once; of two lines either may come first
#   // also: KIND                    findings of this kind may come besides, anywhere, told behind those that were planted
#   // no finding
#   // arguments NAME: ...           stages only: what the driver is called with for this kernel
# and marks each of the lines by a comment at its end, "// <- KIND", so that an edit that moves them shows.
here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset CPU_DEVICE_THREADS CPU_DEVICE_ORDER CPU_DEVICE_FINDINGS
failures=0
# Longer than any of the programs takes by a factor of a hundred: one that hangs shall not hold up the others.
time_limit=60

# ---- What a file expects ----

# expected FILE PREFIX: "KIND LINE LINE" a line, the smaller line first; a lone line stands alone.
expected() {
    awk -v prefix="// finding$2: " 'index($0, prefix) == 1 {
        count = split(substr($0, length(prefix) + 1), word, " ")
        if (count == 3 && word[2] + 0 > word[3] + 0) { swap = word[2]; word[2] = word[3]; word[3] = swap }
        print word[1] (count > 1 ? " " word[2] : "") (count > 2 ? " " word[3] : "")
    }' "$1" | sort
}

allowed() { sed -n "s|^// also$2: ||p" "$1"; }

# Marks and expectations name the same lines, and something is expected, if only nothing. Complaints to stdout.
check_marks() {
    awk '/^\/\/ finding[^:]*: / {
        stated = 1
        sub(/^[^:]*: /, "")
        for (i = 2; i <= NF; i++) wanted[$1 " " $i] = 1
        next
    }
    /^\/\/ no finding/ { stated = 1 }
    /\/\/ <- / { sub(/.*\/\/ <- /, ""); for (i = 1; i <= NF; i++) marked[$i " " NR] = 1 }
    END {
        if (!stated) print "it does not say what is to be found"
        for (place in wanted) if (!(place in marked)) print "line without its mark: " place
        for (place in marked) if (!(place in wanted)) print "mark without a finding: " place
    }' "$1"
}

# ---- What was found ----

# found CSV SOURCE EXPECTED ALLOWED KERNEL: the findings of the CSV in the form of expected(); complaints begin with "!".
# Launches and deadlocks need not be told with a line (a kernel that does not start has none); then only the kind counts,
# and $work/expected is cut alike.
found() {
    awk -v source="$2" -v expected_file="$3" -v allowed="$4" -v kernel="$5" '
    # The fields of RFC 4180, one record a line, into field[].
    function split_record(text,    i, c, quoted, value, count) {
        split("", field)
        count = 1
        value = ""
        for (i = 1; i <= length(text); i++) {
            c = substr(text, i, 1)
            if (quoted) {
                if (c != "\"") value = value c
                else if (substr(text, i + 1, 1) == "\"") { value = value c; i++ }
                else quoted = 0
            } else if (c == "\"") quoted = 1
            else if (c == ",") { field[count++] = value; value = "" }
            else value = value c
        }
        field[count] = value
        if (quoted) print "! an open quote: " text
        return count
    }
    BEGIN {
        split(allowed, list, "\n")
        for (i in list) may_come[list[i]] = 1
        needs_no_line["launch"] = needs_no_line["deadlock"] = 1
    }
    { sub(/\r$/, "") }
    NR == 1 {
        if ($0 != "stage,kernel,dtype,m,n,k,kind,file,line,other_file,other_line,count,text") print "! the header is " $0
        next
    }
    {
        if (split_record($0) != 13) { print "! not 13 columns: " $0; next }
        kind = field[7]; a = field[9]; b = field[11]
        if (field[2] == "") print "! no kernel: " $0
        if (kernel != "" && field[2] != kernel) print "! another kernel: " $0
        if (a != "" && field[8] != source || b != "" && field[10] != source) print "! another file: " $0
        if (field[12] !~ /^[1-9][0-9]*$/) print "! no count: " $0
        if (field[13] == "") print "! no text: " $0
        if (kind in may_come) { if (NR == 2) print "! what follows from another is told first: " kind; next }
        if (a + 0 > b + 0 && b != "") { swap = a; a = b; b = swap }
        if (kind in needs_no_line && (a == "" || (kind == "deadlock" && b == ""))) { a = b = ""; cut[kind] = 1 }
        print kind (a != "" ? " " a : "") (b != "" ? " " b : "")
    }
    END {
        if (NR == 0) print "! the file is empty"
        close(expected_file)
        count = 0
        while ((getline line < expected_file) > 0) {
            split(line, word, " ")
            text[++count] = word[1] in cut ? word[1] : line
        }
        close(expected_file)
        printf "" > expected_file
        for (i = 1; i <= count; i++) print text[i] > expected_file
    }' "$1" >"$work/rows"
    sort "$work/rows"
}

# compare SOURCE PREFIX KERNEL CSV: complaints to stdout.
compare() {
    if [ ! -f "$4" ]; then
        echo "it wrote no file of findings"
        return
    fi
    expected "$1" "$2" >"$work/expected"
    found "$4" "$(basename "$1")" "$work/expected" "$(allowed "$1" "$2")" "$3" >"$work/found"
    diff "$work/expected" "$work/found" >"$work/difference" ||
        sed -n 's/^< /not found: /p; s/^> ! */bad row: /p; t; s/^> /not planted: /p' "$work/difference"
}

# Both orders of warps find the same, in words and counts.
compare_orders() {
    [ -f "$1" ] && [ -f "$2" ] || return
    sort "$1" >"$work/first"
    sort "$2" >"$work/second"
    diff "$work/first" "$work/second" >"$work/difference" && return
    echo "the order of warps changes what is found:"
    sed -n '/^[<>]/p' "$work/difference"
}

# ---- One program, one kernel of a stage ----

# verdict NAME: what was written to $work/complaints decides.
verdict() {
    if [ -s "$work/complaints" ]; then
        failures=$((failures + 1))
        printf 'FAIL  %s\n' "$1"
        sed 's/^/    | /' "$work/complaints"
    else
        printf 'ok    %s\n' "$1"
    fi
}

# expect_status WANTED ORDER: of the program that was just run; with its output where it is another.
expect_status() {
    [ "$status" -eq "$1" ] && return
    echo "exit status $status instead of $1 ($2)"
    head -n 20 "$work/printed"
}

check_program() {
    program=$("$build_one" "$repository" "$bin" "$1" checked 2>"$work/errors")
    if [ -z "$program" ]; then
        echo "it cannot be built"
        cat "$work/errors"
        return
    fi
    for order in ascending reverse; do
        rm -f "$work/$order.csv"
        CPU_DEVICE_ORDER=$order CPU_DEVICE_FINDINGS=$work/$order.csv timeout $time_limit "$program" >"$work/printed" 2>&1
        status=$?
        expect_status 0 $order
        compare "$1" "" "" "$work/$order.csv" | sed "s/\$/ ($order)/"
    done
    compare_orders "$work/ascending.csv" "$work/reverse.csv"
}

# The sizes differ pairwise, fill no tile, and leave a gap after each row.
check_kernel() {
    wanted=$(expected "$source_file" " $1" | grep -c .)
    for order in ascending reverse; do
        rm -f "$work/$order.csv"
        # shellcheck disable=SC2046 # words
        CPU_DEVICE_ORDER=$order timeout $time_limit "$driver" --kernel "$1" --findings "$work/$order.csv" --protocol none \
            --dtype f32 --m 33 --n 35 --k 17 --lda 24 --ldb 40 --ldc 44 \
            $(sed -n "s|^// arguments $1: ||p" "$source_file") >"$work/printed" 2>&1
        status=$?
        expect_status "$((wanted > 0))" $order
        compare "$source_file" " $1" "$1" "$work/$order.csv" | sed "s/\$/ ($order)/"
    done
    compare_orders "$work/ascending.csv" "$work/reverse.csv"
}

run_driver() {
    driver=$1
    source_file=$2
    check_marks "$source_file" >"$work/complaints"
    verdict "$source_file"
    names=$(sed -n 's|^// finding \([^:]*\): .*|\1|p; s|^// no finding \(.*\)|\1|p' "$source_file" | sort -u)
    [ -n "$names" ] || { echo "FAIL  $source_file names no kernels"; failures=1; }
    for name in $names; do
        check_kernel "$name" >"$work/complaints"
        verdict "$name"
    done
}

# ---- The self-test: programs that are shell scripts, and write what they are told ----

# self_test WANTED WHAT CSV_BODY [BODY_IN_REVERSE_ORDER]: of $work/self/case.cu; WANTED is ok or FAIL.
self_test() {
    printf '%s\n' "$3" >"$work/self/ascending"
    printf '%s\n' "${4-$3}" >"$work/self/reverse"
    sh "$here/run.sh" "$work/self/build" . . "$work/self/case.cu" >"$work/self/out" 2>&1
    result=$?
    case $1-$result in
    ok-0 | FAIL-1) printf 'ok    %s\n' "$2" ;;
    *)
        failures=$((failures + 1))
        printf 'FAIL  %s: %s was expected, exit status %s\n' "$2" "$1" $result
        sed 's/^/    | /' "$work/self/out"
        ;;
    esac
}

self_case() { printf '%s\n' "$@" >"$work/self/case.cu"; }

run_self_test() {
    mkdir "$work/self"
    cat >"$work/self/build" <<'END'
#!/bin/sh
echo "${0%/build}/program"
END
    cat >"$work/self/program" <<'END'
#!/bin/sh
body=${0%/program}/$CPU_DEVICE_ORDER
case $(cat "$body") in
crash) exit 139 ;;
silent) exit 0 ;;
esac
echo "stage,kernel,dtype,m,n,k,kind,file,line,other_file,other_line,count,text" >"$CPU_DEVICE_FINDINGS"
sed '/^$/d' "$body" >>"$CPU_DEVICE_FINDINGS"
END
    chmod +x "$work/self/build" "$work/self/program"
    race=',k,,,,,race,case.cu,3,case.cu,4,7,"thread 1, ""warp"" 2"'
    unwritten=',k,,,,,unwritten,case.cu,4,,,1,text'
    self_case '// A race.' '// finding: race 3 4' 'store // <- race' 'load // <- race' 'other'
    self_test ok 'what was planted' "$race"
    self_test ok 'the two lines the other way round' ',k,,,,,race,case.cu,4,case.cu,3,7,text'
    self_test FAIL 'nothing found' ''
    self_test FAIL 'another kind' "$unwritten"
    self_test FAIL 'one more' "$race
$unwritten"
    self_test FAIL 'the same twice' "$race
$race"
    self_test FAIL 'another line' ',k,,,,,race,case.cu,3,case.cu,5,7,text'
    self_test FAIL 'one line instead of two' ',k,,,,,race,case.cu,3,,,7,text'
    self_test FAIL 'another file' ',k,,,,,race,other.cu,3,other.cu,4,7,text'
    self_test FAIL 'no count' ',k,,,,,race,case.cu,3,case.cu,4,,text'
    self_test FAIL 'no text' ',k,,,,,race,case.cu,3,case.cu,4,7,'
    self_test FAIL 'a comma without quotes' ',k,,,,,race,case.cu,3,case.cu,4,7,thread 1, warp 2'
    self_test FAIL 'found in one order only' "$race" ''
    self_test FAIL 'another count in the other order' "$race" ',k,,,,,race,case.cu,3,case.cu,4,8,"thread 1, ""warp"" 2"'
    self_test FAIL 'a crash' crash
    self_test FAIL 'no file of findings' silent
    self_case '// Two kinds.' '// finding: race 3 3' 'store // <- race' '// also: unwritten' ''
    self_test ok 'a kind that may come' ',k,,,,,race,case.cu,3,case.cu,3,1,text
,k,,,,,unwritten,case.cu,5,,,1,text'
    self_test FAIL 'a kind that may come, told first' ',k,,,,,unwritten,case.cu,5,,,1,text
,k,,,,,race,case.cu,3,case.cu,3,1,text'
    self_test ok 'a kind that may come, and does not' ',k,,,,,race,case.cu,3,case.cu,3,1,text'
    self_case '// A launch.' '// finding: launch 3' 'k<<<0, 1>>>(); // <- launch'
    self_test ok 'a launch without a line' ',k,,,,,launch,,,,,1,text'
    self_test ok 'a launch with its line' ',k,,,,,launch,case.cu,3,,,1,text'
    self_test FAIL 'a launch with another line' ',k,,,,,launch,case.cu,4,,,1,text'
    self_case '// A deadlock.' '// finding: deadlock 3 4' 'shuffle // <- deadlock' 'barrier // <- deadlock'
    self_test ok 'a deadlock with one line' ',k,,,,,deadlock,case.cu,4,,,1,text'
    self_test FAIL 'a deadlock with a wrong pair' ',k,,,,,deadlock,case.cu,4,case.cu,5,1,text'
    self_case '// Right.' '// no finding'
    self_test ok 'nothing, as it should be' ''
    self_test FAIL 'a false alarm' "$unwritten"
    self_case '// Says nothing.'
    self_test FAIL 'no expectation' ''
    self_case '// A race.' '// finding: race 3 4' 'store' 'load // <- race'
    self_test FAIL 'a line without its mark' "$race"
    self_case '// A race.' '// finding: race 3 4' 'store // <- race' 'load // <- race' 'load // <- race'
    self_test FAIL 'a mark too many' "$race"
}

# ---- All ----

finish() { exit "$((failures > 0))"; }

part=1
parts=1
case $1 in
--self-test)
    run_self_test
    finish
    ;;
--driver)
    run_driver "$2" "$3"
    finish
    ;;
--part)
    part=${2%/*}
    parts=${2#*/}
    shift 2
    ;;
esac
if [ $# -lt 3 ]; then
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
fi
build_one=$1
repository=$2
bin=$3
shift 3
[ $# -gt 0 ] || set -- "$here"/*.cu "$here"/right/*.cu
number=0
for file in "$@"; do
    number=$((number + 1))
    [ $(((number - part) % parts)) -eq 0 ] || continue
    {
        check_marks "$file"
        check_program "$file"
    } >"$work/complaints"
    verdict "${file#"$here"/}"
done
finish

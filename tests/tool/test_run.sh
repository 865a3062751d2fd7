# ladder-tool run with fake drivers: what goes into the record, and that nothing recorded is ever lost.
. "$(dirname "$0")/helpers.sh"

bin=$work/bin
source=$work/a\ repository
mkdir -p "$bin" "$source/plots"
cp "$repository"/plots/*.gp "$source/plots"
header=$(sed -n 1p "$here/data/two-stages.csv")
small_path # no gnuplot: pictures are test_plot.sh's

# driver NAME BODY [KERNEL...]: a script in which $csv is the file to append to and `row KERNEL STATUS TIME TFLOPS`
# appends to it. It lists the kernels; with none named it cannot list.
driver() {
    name=$1 body=$2
    shift 2
    cat >"$bin/$name" <<SCRIPT
#!/bin/sh
if [ "\$1" = --list ]; then
    [ -n "$*" ] || exit 2
    echo "device: cpu (kernel lists are after this line)"
    echo "kernel         type  registers  what it shows"
    # A kernel has a line for each type and each configuration.
    for kernel in $*; do echo "\$kernel/small f32 n/a"; echo "\$kernel/large f32 n/a"; echo "\$kernel/small bf16 n/a"; echo "\$kernel f16 n/a"; done
    echo "Registers and occupancy are a GPU's"
    exit
fi
echo "$name \$*" >>"$work/calls"
stage=$name
header='$header'
gpu=\${FAKE_GPU:-}
counts=\$(printf '%s\\n' "\$@" | sed -n 's/^--counts=//p')
SCRIPT
    cat >>"$bin/$name" <<'SCRIPT'
while [ $# -gt 0 ]; do
    [ "$1" = --csv ] && csv=$2
    shift
done
row() {
    [ -e "$csv" ] || echo "$header" >"$csv"
    echo "$stage,$1,f16,f32,4096,4096,4096,1,0,normal,hot,burst,10,$3,,,$4,,,,,,,,,$2,,0.001,0.01,,,,,,,$gpu,,,,," >>"$csv"
}
SCRIPT
    printf '%s\n' "$body" >>"$bin/$name"
    chmod +x "$bin/$name"
}

ladder() { PATH=$work/path run "$tool" "$@" --source "$source" --bin "$bin"; }
cpu=$source/build/cpu/results
gpu=$source/build/gpu/results

# --- nothing to run
ladder run --device cpu
expect_status 1 "no drivers"
expect_says "no stage driver in"

# --- a size asked for twice is counted once, and a row that failed not at all
driver 01_naive 'row coalesced pass 100 1; row coalesced pass 100 1; row bad fail "" ""; row tensor pass 100 1
echo stage,kernel,dtype,m,n,k,source,line,counter,value >"$counts"
for kernel in coalesced bad; do
    for counter in launches,2 flops,12800 shared_load_wavefronts,400 global_load_requests,20 global_load_sectors,80; do
        echo "01_naive,$kernel,f16,4096,4096,4096,k,0,$counter" >>"$counts"
    done
done
for counter in launches,1 flops,100 tensor_flops,12700 shared_load_wavefronts,300 shared_async_wavefronts,100 \
    block_sectors,10 global_load_l2_sectors,90; do
    echo "01_naive,tensor,f16,4096,4096,4096,k,0,$counter" >>"$counts"
done'
ladder run --device cpu --size 4096,4096
expect_status 1 "a failed row"
[ "$(grep -c coalesced.*launches "$cpu/counts.csv")" -eq 1 ] || wrong "a size that was asked for twice is counted twice"
expect_not_in "$cpu/counts.csv" bad
grep -q 'coalesced.* 2$' "$cpu/wavefronts.dat" || wrong "wavefronts for a multiply-add: 64 * 400 / 12800"
grep -q 'tensor.* 2$' "$cpu/wavefronts.dat" || wrong "wavefronts of tensor cores and copies: 64 * 400 / 12800"
grep -q 'tensor.* 250$' "$cpu/l2_bytes.dat" || wrong "bytes asked of L2: 1000 * 32 * 100 / 12800"
grep -q 'coalesced.* 4$' "$cpu/sectors.dat" || wrong "sectors for a load: 80 / 20"

# --- what a run does not write anew is gone: counts and pictures of another one. --out touches nothing but its file
: >"$cpu/errors.png"
: >"$cpu/accuracy.svg"
: >"$cpu/mine.txt"
cp -r "$cpu" "$work/results"
ladder run --device cpu --repeat 3 --out "$work/beside.csv"
expect_status 1 "--out beside an earlier run"
expect_says "01_naive  coalesced"
expect_says "record: $work/beside.csv"
expect_silent_on "table: "
diff -r "$cpu" "$work/results" >/dev/null || wrong "--out changed $cpu"
ladder run --device cpu --out "$work/beside.csv"
expect_says "What was counted"
diff -r "$cpu" "$work/results" >/dev/null || wrong "--out changed $cpu"
ladder run --device cpu --repeat 3
for gone in counts.csv wavefronts.dat wavefronts.gp l2_bytes.dat sectors.dat errors.png accuracy.svg; do
    expect_no_file "$cpu/$gone"
done
[ -e "$cpu/mine.txt" ] || wrong "a file of the user's was removed"
expect_file "$cpu/errors.dat"
expect_file "$cpu/table.md"
rm -r "$work/results" "$source/build"

# --- a place that cannot be written beside a record that can: the record and the table are shown
mkdir -p "$cpu/table.md/in the way"
ladder run --device cpu
expect_status 1 "no table can be written"
expect_says "01_naive  coalesced"
expect_says "record: $cpu/cpu.csv"
expect_says "cannot write $cpu/table.md"
rm -r "$source/build"
mkdir "$source/build"
: >"$source/build/cpu"
driver 01_naive 'row coalesced pass 100 1'
ladder run --device cpu --out "$work/beside.csv"
expect_status 0 "--out, and no place for results"
expect_says "01_naive  coalesced"
expect_says "record: $work/beside.csv"
rm -r "$source/build"

# --- a stage that is named twice runs once
: >"$work/calls"
ladder run 1 01_naive 01 --device cpu --quick
expect_status 0 "a stage named twice"
expect_says "1 row: 1 passed"
[ "$(wc -l <"$work/calls")" -eq 1 ] || wrong "a stage that is named three times is called $(wc -l <"$work/calls") times"

# --- two good stages on the CPU device: two calls each, the second ragged
driver 01_naive 'row coalesced pass 100 1'
driver 02_tiling 'row tile64 pass 25 4'
echo 'not a driver' >"$bin/03_notes"
ladder run --device cpu
expect_status 0 "good run"
expect_says "4 rows: 4 passed, 0 failed, 0 skipped"
expect_says "gnuplot is not installed"
expect_in "$work/calls" "01_naive --size=256 --device=cpu --default-dtype=f32,f16 --kernel=all --protocol=none --counts="
expect_in "$work/calls" "02_tiling --m=129 --n=257 --k=65 --device=cpu"
expect_file "$cpu/cpu.csv"
expect_in "$cpu/cpu.csv" "02_tiling,tile64,f16,f32,4096,4096,4096,1,0,normal,hot,burst,10,25,,,4,,,4," # speedup filled
expect_in "$cpu/table.md" "| 02_tiling | tile64 | f16 | 4096³ | 1.00e-03 | 1.00e-02 | 0.100 | pass |"
expect_not_in "$cpu/table.md" "Recorded on"

# --- with a recorded GPU beside it, named as such
mkdir -p "$source/plots/data"
cp "$here/data/two-stages.csv" "$source/plots/data/nvidia-h200.csv"
ladder run --device cpu
expect_status 0 "with a record"
expect_says "Recorded on NVIDIA H200, not on this machine"
expect_says "driver 580.95, CUDA 13.0, cuBLAS 13.0.2; commit 0123abc"
ladder run 2 --device cpu --quick
expect_status 0 "one stage"
expect_says "1 row: 1 passed"
expect_not_in "$work/out" "Recorded on" # who asked for a part sees that part

# --- what the user chose is passed on and replaces the defaults
: >"$work/calls"
ladder run --device cpu 01_naive --size 64,65 --dtype f32 --kernel coalesced --check none
expect_status 0 "options"
expect_in "$work/calls" "01_naive --device=cpu --protocol=none --size=64,65 --dtype=f32 --kernel=coalesced --check=none --counts="
expect_not_in "$work/calls" "02_tiling"
expect_not_in "$work/calls" "--m=129"
ladder run --device cpu 01_naive --repeat 3
expect_status 0 "--repeat"
expect_in "$work/calls" "01_naive --size=256 --device=cpu --default-dtype=f32,f16 --kernel=all --protocol=none --repeat=3 --csv"

# --- a stage that is not there
cp "$cpu/cpu.csv" "$work/before"
ladder run 9 --device cpu
expect_status 2 "unknown stage"
expect_says "9: no such stage; choose from 01_naive, 02_tiling"
ladder run --no-such-option
expect_status 2 "unknown option"

# --- a failed row, a crash, no rows, a damaged record, a lying exit status: rows that say so, and the run goes on
driver 01_naive 'row coalesced pass 100 1; kill -SEGV $$'
driver 02_tiling 'row tile64 fail "" ""; exit 1'
driver 03_silent 'exit 0'
driver 04_damaged 'echo "stage,kernel" >"$csv"'
driver 05_lying 'row a pass 1 1; exit 1'
driver 06_last 'row b pass 10 1'
ladder run --device cpu --quick
expect_status 1 "failures"
expect_in "$cpu/cpu.csv" "01_naive,coalesced"
expect_in "$cpu/cpu.csv" "ended by signal 11"
expect_in "$cpu/cpu.csv" "03_silent,(driver)"
expect_in "$cpu/cpu.csv" "wrote no rows (exit status 0)"
expect_in "$cpu/cpu.csv" "record is damaged"
expect_in "$cpu/cpu.csv" "exit status 1, though no row failed"
expect_in "$cpu/cpu.csv" "06_last,b"
expect_says "8 rows: 3 passed, 5 failed"
rm "$bin"/03_* "$bin"/04_* "$bin"/05_* "$bin"/06_*

# --- a driver that died keeps the rows it recorded, but not a line that was cut off, however complete it looks
driver 01_naive 'row coalesced pass 100 1; row cut pass 1 1; truncate -s -1 "$csv"; exit 1'
driver 02_tiling 'row tile64 pass 25 4; printf "02_tiling,half" >>"$csv"; kill -KILL $$'
driver 03_full 'row a pass 10 1; exit 3'
driver 04_opened ': >"$csv"; exit 1'
driver 05_never 'exit 1'
ladder run --device cpu --quick
expect_status 1 "rows before the end"
expect_in "$cpu/cpu.csv" "01_naive,coalesced"
expect_not_in "$cpu/cpu.csv" ",cut,"
expect_in "$cpu/cpu.csv" "exit status 1, and the driver's record is damaged"
expect_in "$cpu/cpu.csv" "02_tiling,tile64"
expect_in "$cpu/cpu.csv" "ended by signal 9"
expect_in "$cpu/cpu.csv" "03_full,a"
expect_in "$cpu/cpu.csv" "its record could not be written (exit status 3)"
expect_says "04_opened: FAIL: the driver ended with exit status 1 before it recorded a row"
expect_says "05_never: FAIL: the driver ended with exit status 1 before it recorded a row"
expect_says "8 rows: 3 passed, 5 failed"
rm "$bin"/03_* "$bin"/04_* "$bin"/05_*

# --- a driver that does not end is ended
driver 01_naive 'row coalesced pass 100 1; exec sleep 60'
driver 02_tiling 'trap "" TERM; exec sleep 60'
ladder run --device cpu --quick --time-limit 0.3
expect_status 1 "time limit"
expect_says "01_naive: FAIL: the driver was ended after 0.3 s, its time limit (see --time-limit)"
expect_says "02_tiling: FAIL: the driver was ended after 0.3 s"
expect_in "$cpu/cpu.csv" "01_naive,coalesced"
ladder run --device cpu --time-limit 0
expect_status 2 "--time-limit 0"
expect_says "--time-limit 0: it must be a number of seconds above 0"

# --- refused options: everywhere is bad usage and changes nothing; here and there is a note
cp "$cpu/cpu.csv" "$work/before"
driver 01_naive 'echo "01_naive: --kernel: none such" >&2; exit 2'
driver 02_tiling 'exit 2'
ladder run --device cpu --kernel tile64
expect_status 2 "all refuse"
expect_says "no stage accepted these options"
[ "$(grep -c 'none such' "$work/out")" -eq 1 ] || wrong "a driver's complaint was printed twice"
cmp -s "$work/before" "$cpu/cpu.csv" || wrong "a refused run changed the record"
driver 02_tiling 'row tile64 pass 25 4'
ladder run --device cpu --kernel tile64
expect_status 0 "one accepts"
expect_says "01_naive: left out"
expect_not_in "$cpu/cpu.csv" 01_naive

# --- two runs at once: the second one is refused before it runs anything, whatever its own record is to be called
driver 02_tiling "row tile64 pass 25 4; [ -e '$work/second' ] || { touch '$work/second'
    '$tool' run --device cpu --source '$source' --bin '$bin' --out '$work/other.csv' 1 >'$work/refused' 2>&1
    echo \"exit status \$?\" >>'$work/refused'; }"
driver 01_naive 'row coalesced pass 100 1'
: >"$work/calls"
ladder run --device cpu --quick 2
expect_status 0 "the first of two runs"
expect_in "$work/refused" "another ./ladder run will write to $cpu; start this one when that has ended"
expect_in "$work/refused" "exit status 1"
expect_not_in "$work/calls" 01_naive
expect_no_file "$work/other.csv"
expect_in "$cpu/cpu.csv" "02_tiling,tile64"
ladder run --device cpu --quick 1
expect_status 0 "a run after them"

# --- each stage is given the kernels it has
driver 01_naive 'row coalesced pass 100 1' cpu_loop coalesced
driver 02_tiling 'row tile64 pass 25 4' tile32 tile64
: >"$work/calls"
ladder run --device cpu --quick --kernel coalesced,tile64 --kernel tile32
expect_status 0 "kernels of two stages"
expect_in "$work/calls" "01_naive --size=64 --device=cpu --default-dtype=f32,f16 --protocol=none --kernel=coalesced --counts="
expect_in "$work/calls" "02_tiling --size=64 --device=cpu --default-dtype=f32,f16 --protocol=none --kernel=tile64,tile32 --counts="
: >"$work/calls"
ladder run --device cpu --quick --kernel tile64
expect_status 0 "kernel of one stage"
expect_says "01_naive: left out: it has no kernel of that name"
expect_not_in "$work/calls" 01_naive
: >"$work/calls"
ladder run --device cpu --kernel coalesced,tile46
expect_status 2 "a name that no stage has"
expect_says "--kernel tile46: no chosen stage has it; choose from cpu_loop,coalesced,tile32,tile64"
ladder run --device cpu --kernel tile64/small
expect_status 2 "a name with a configuration"
expect_says "--kernel tile64/small: it is a kernel and its configuration; give --kernel tile64 --config small"
for none in tile64/ tile64/64x64x64 tile64/sma; do
    ladder run --device cpu --kernel $none
    expect_status 2 "a name with a configuration that there is not"
    expect_says "--kernel $none: tile64 has no such configuration; it has small, large"
    expect_silent_on "large, small" # which another type lists, too
done
sed -i 's,/small,,g; s,/large,,' "$bin/01_naive"
ladder run --device cpu --kernel coalesced/small
expect_status 2 "a name with a configuration of a kernel that has none"
expect_says "--kernel coalesced/small: coalesced has no configurations"
ladder run --device cpu --kernel tile46/small
expect_says "--kernel tile46/small: no chosen stage has it; choose from cpu_loop,coalesced,tile32,tile64"
expect_not_in "$work/calls" _

# --- an interrupt leaves everything as it was
cp "$cpu/cpu.csv" "$work/before"
driver 01_naive 'kill -INT $$; sleep 5'
ladder run --device cpu
expect_status 130 "interrupted"
expect_says "interrupted; no file was changed"
cmp -s "$work/before" "$cpu/cpu.csv" || wrong "an interrupted run changed the record"

# --- what was measured before it is kept, whatever signal came and whoever got it, and nothing is left behind
mkdir "$work/tmp"
TMPDIR=$work/tmp
export TMPDIR
driver 01_naive 'row coalesced pass 100 1'
for stop in INT:130 TERM:143 HUP:129; do
    rm -f "$cpu"/rescued*
    driver 02_tiling "row tile64 pass 25 4; echo \$\$ >'$work/child'; kill -${stop%:*} \$PPID; exec sleep 60"
    ladder run --device cpu --quick
    expect_status "${stop#*:}" "SIG${stop%:*}"
    expect_says "interrupted; the 2 rows so far are in $cpu/rescued-"
    for file in "$cpu"/rescued-*.csv; do
        expect_in "$file" "01_naive,coalesced"
        expect_in "$file" "02_tiling,tile64,f16,f32,4096,4096,4096,1,0,normal,hot,burst,10,25,,,4,,,4,"
    done
    ! kill -0 "$(cat "$work/child")" 2>/dev/null || wrong "the driver was left running"
    [ -z "$(ls "$TMPDIR")" ] || wrong "left in TMPDIR: $(ls "$TMPDIR")"
done
cmp -s "$work/before" "$cpu/cpu.csv" || wrong "an interrupted run changed the record"
driver 02_tiling 'row tile64 pass 25 4'
unset TMPDIR

# --- killed, it takes the driver with it: the next run would measure beside that
driver 02_tiling "echo \$\$ >'$work/child'; kill -KILL \$PPID; exec sleep 60"
ladder run --device cpu --quick
[ "$status" -eq 137 ] || wrong "kill -KILL ended it with $status"
sleep 0.2
child=$(cat "$work/child")
if grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$child/status"; then # Z: ended, and nobody has asked how
    wrong "the driver was left running"
    kill "$child"
fi
driver 02_tiling 'row tile64 pass 25 4'

# --- a name that begins with '-' is no option
mkdir "$work/-tmp"
cd "$work" || exit 1
TMPDIR=-tmp ladder run --device cpu --quick
expect_status 0 "TMPDIR=-tmp"
cd - >/dev/null || exit 1

# --- a reader that went away costs nothing; output that is lost is no success
if [ -w /dev/full ]; then
    PATH=$work/path "$tool" run --device cpu --quick --source "$source" --bin "$bin" >/dev/full 2>"$work/out"
    status=$?
    expect_status 1 "full standard output"
    expect_says "the output could not be written completely"
fi
rm "$cpu/cpu.csv"
PATH=$work/path "$tool" run --device cpu --quick --source "$source" --bin "$bin" 2>/dev/null | true
expect_file "$cpu/cpu.csv"

# --- on a GPU: a partial run stays in the build tree, a whole one is recorded, a failed one is not
FAKE_GPU="FAKE GPU"
export FAKE_GPU
driver 01_naive 'row coalesced pass 100 1'
ladder run 1 --device gpu
expect_status 0 "partial"
expect_file "$gpu/gpu.csv"
expect_no_file "$source/plots/data/fake-gpu.csv"
: >"$work/calls"
ladder run --device gpu
expect_status 0 "campaign"
expect_in "$work/calls" "01_naive --size=1024,2048,4096 --device=gpu --default-dtype=f32,f16 --kernel=all --protocol=both --csv"
expect_file "$source/plots/data/fake-gpu.csv"
expect_file "$source/plots/fake-gpu/table.md"
# sustained takes seconds a row: only the kernels of the table get it, unless somebody names kernels or protocols
expect_not_in "$work/calls" "--sustained"
driver 01_naive 'row coalesced pass 100 1' cpu_loop coalesced
driver 05_tensorcore 'row mma pass 10 10' mma pad0 tf32
driver 09_mine 'row first pass 10 10' first second
: >"$work/calls"
ladder run --device gpu
expect_status 0 "campaign of listed kernels"
expect_in "$work/calls" "01_naive --size=1024,2048,4096 --device=gpu --default-dtype=f32,f16 --kernel=all --protocol=both --sustained=coalesced --csv"
expect_in "$work/calls" "05_tensorcore --size=1024,2048,4096 --device=gpu --default-dtype=f32,f16 --kernel=all --protocol=both --sustained=mma,tf32 --csv"
expect_in "$work/calls" "09_mine --size=1024,2048,4096 --device=gpu --default-dtype=f32,f16 --kernel=all --protocol=both --csv"
: >"$work/calls"
ladder run 1 --device gpu --quick
ladder run 1 --device gpu --protocol both
ladder run 5 --device gpu --kernel pad0 --size 128x2112x7168,64
ladder run 1 --device cpu
expect_not_in "$work/calls" "--sustained"
expect_in "$work/calls" "05_tensorcore --device=gpu --default-dtype=f32,f16 --protocol=both --size=128x2112x7168,64 --kernel=pad0 --csv"
rm "$bin/05_tensorcore" "$bin/09_mine"
driver 01_naive 'row coalesced pass 100 1'
cp "$source/plots/data/fake-gpu.csv" "$work/before"
driver 02_tiling 'row tile64 fail "" ""; exit 1'
ladder run --device gpu
expect_status 1 "failed campaign"
expect_says "plots/data is as it was"
cmp -s "$work/before" "$source/plots/data/fake-gpu.csv" || wrong "a failed campaign replaced the record"
expect_in "$gpu/gpu.csv" ",fail,"
ladder run 1 --device gpu --out "$work/mine.csv"
expect_status 0 "--out"
expect_file "$work/mine.csv"

# --- --out replaces records only, and what cannot be written is found before anything runs
: >"$work/calls"
refused() {
    ladder run 1 --device gpu --out "$1"
    expect_status 2 "--out $1"
    expect_says "$2"
    expect_not_in "$work/calls" _
}
echo "a thesis, not a record" >"$work/thesis.csv"
cp "$work/thesis.csv" "$work/thesis.before"
refused "$work/thesis.csv" "which is no record file"
cmp -s "$work/thesis.csv" "$work/thesis.before" || wrong "--out replaced a file that is no record"
refused "$work" "Is a directory"
refused "$work/new/" "it needs the name of a file"
refused "" "it needs the name of a file"
refused "$work/mine.csv/inside.csv" "Not a directory"
refused "/proc/nowhere/mine.csv" "cannot write"
chmod 0444 "$work/mine.csv"
refused "$work/mine.csv" "Permission denied"
chmod 0644 "$work/mine.csv"
ladder run 1 --device gpu --out "$work/mine.csv"
expect_status 0 "--out over a record"
: >"$work/empty.csv"
ladder run 1 --device gpu --out "$work/empty.csv"
expect_status 0 "--out over an empty file"
ladder run 1 --device gpu --out "$work/new/place/mine.csv"
expect_status 0 "--out into a directory to be made"
expect_file "$work/new/place/mine.csv"
run "$tool" run 1 --device gpu --source "$work" --bin "$bin"
expect_status 2 "--source elsewhere"
expect_says "is no gemm-ladder"
expect_no_file "$work/build"

# --- a record that cannot be written after all goes to a new file, next time to another, where there is a place
driver 01_naive "row coalesced pass 100 1; mkdir -p '$work/late.csv'"
for time in first second; do
    rm -rf "$work/late.csv"
    ladder run 1 --device gpu --out "$work/late.csv"
    expect_status 1 "$time rescue"
    expect_says "; the rows are in $gpu/rescued-"
done
[ "$(cat "$gpu"/rescued-*.csv | grep -c coalesced)" -eq 2 ] || wrong "a second rescue replaced the first"
rm -rf "$work/late.csv" "$source/build/gpu"
echo "in the way" >"$source/build/gpu"
TMPDIR=$work/tmp ladder run 1 --device gpu --out "$work/late.csv"
expect_status 1 "no build directory"
expect_says "the rows are in $work/tmp/rescued-"
rm -r "$source/build/gpu" "$work/late.csv"
driver 01_naive 'row coalesced pass 100 1'

# --- a stage that does not compile is a row, and the others run
ladder run --device cpu --quick --broken=01_naive=build/cpu/01_naive.log --broken=07_new=log
expect_status 1 "broken stage"
expect_in "$cpu/cpu.csv" "does not compile, see build/cpu/01_naive.log"
expect_in "$cpu/cpu.csv" "07_new,(driver)"
expect_in "$cpu/cpu.csv" "02_tiling"
mkdir -p "$source/01_naive" "$source/07_new"
: >"$source/01_naive/kernel.cu" && : >"$source/07_new/kernel.cu"
ladder run --targets --size 256 7
expect_status 0 "--targets"
[ "$(cat "$work/out")" = 07_new ] || wrong "--targets printed more than the stage"
ladder run --targets 8
expect_status 2 "--targets without such a stage"
expect_says "8: no such stage; choose from 01_naive, 07_new"
ladder run --device cpu -D gpu
expect_status 2 "two devices"

# --- a repository without plots/data yet: the directory is made
driver 02_tiling 'row tile64 pass 25 4'
rm -r "$source/plots/data"
ladder run --device gpu
expect_status 0 "first campaign"
expect_file "$source/plots/data/fake-gpu.csv"
finish

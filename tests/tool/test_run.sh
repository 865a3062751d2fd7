# ladder-tool run with fake drivers: what goes into the record, and that nothing recorded is ever lost.
. "$(dirname "$0")/helpers.sh"

bin=$work/bin
source=$work/a\ repository
mkdir -p "$bin" "$source/plots"
cp "$repository"/plots/*.gp "$source/plots"
header=$(sed -n 1p "$here/data/two-stages.csv")
small_path # no gnuplot: pictures are test_plot.sh's

# driver NAME BODY: a script in which $csv is the file to append to and `row KERNEL STATUS TIME TFLOPS` appends to it.
driver() {
    cat >"$bin/$1" <<SCRIPT
#!/bin/sh
echo "$1 \$*" >>"$work/calls"
stage=$1
header='$header'
gpu=\${FAKE_GPU:-}
SCRIPT
    cat >>"$bin/$1" <<'SCRIPT'
while [ $# -gt 0 ]; do
    [ "$1" = --csv ] && csv=$2
    shift
done
row() {
    [ -e "$csv" ] || echo "$header" >"$csv"
    echo "$stage,$1,f16,f32,4096,4096,4096,1,0,normal,hot,burst,10,$3,,,$4,,,,,,,,,$2,,0.001,0.01,,,,,,,$gpu,,,,," >>"$csv"
}
SCRIPT
    printf '%s\n' "$2" >>"$bin/$1"
    chmod +x "$bin/$1"
}

ladder() { PATH=$work/path run "$tool" "$@" --source "$source" --bin "$bin"; }
cpu=$source/build/cpu/results
gpu=$source/build/gpu/results

# --- nothing to run
ladder run --device cpu
expect_status 1 "no drivers"
expect_says "no stage driver in"

# --- two good stages on the CPU device: two calls each, the second ragged
driver 01_naive 'row coalesced pass 100 1'
driver 02_tiling 'row tile64 pass 25 4'
echo 'not a driver' >"$bin/03_notes"
ladder run --device cpu
expect_status 0 "good run"
expect_says "4 rows: 4 passed, 0 failed, 0 skipped"
expect_says "gnuplot is not installed"
expect_in "$work/calls" "01_naive --size=256 --device=cpu --dtype=f32,f16 --kernel=all --protocol=none --csv"
expect_in "$work/calls" "02_tiling --m=129 --n=257 --k=65 --device=cpu"
expect_file "$cpu/cpu.csv"
expect_in "$cpu/cpu.csv" "02_tiling,tile64,f16,f32,4096,4096,4096,1,0,normal,hot,burst,10,25,,,4,,,4," # speedup filled
expect_in "$cpu/table.md" "| 02_tiling | tile64 | f16 | 4096³ | 1.00e-03 | 1.00e-02 | 0.100 | pass |"
expect_not_in "$cpu/table.md" "Recorded on"

# --- with a recorded GPU beside it, named as such
mkdir -p "$source/plots/data"
cp "$here/data/two-stages.csv" "$source/plots/data/nvidia-h200.csv"
ladder run 2 --device cpu --quick
expect_status 0 "one stage"
expect_says "Recorded on NVIDIA H200, not on this machine"
expect_says "driver 580.95, CUDA 13.0, cuBLAS 13.0.2; commit 0123abc"
expect_says "1 rows: 1 passed"

# --- what the user chose is passed on and replaces the defaults
: >"$work/calls"
ladder run --device cpu 01_naive --size 64,65 --dtype f32 --kernel coalesced --check none
expect_status 0 "options"
expect_in "$work/calls" "01_naive --device=cpu --protocol=none --size=64,65 --dtype=f32 --kernel=coalesced --check=none --csv"
expect_not_in "$work/calls" "02_tiling"
expect_not_in "$work/calls" "--m=129"

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

# --- refused options: everywhere is bad usage and changes nothing; here and there is a note
cp "$cpu/cpu.csv" "$work/before"
driver 01_naive 'echo "01_naive: --kernel: none such" >&2; exit 2'
driver 02_tiling 'exit 2'
ladder run --device cpu --kernel tile64
expect_status 2 "all refuse"
expect_says "no stage accepted these options"
cmp -s "$work/before" "$cpu/cpu.csv" || wrong "a refused run changed the record"
driver 02_tiling 'row tile64 pass 25 4'
ladder run --device cpu --kernel tile64
expect_status 0 "one accepts"
expect_says "01_naive: left out"
expect_not_in "$cpu/cpu.csv" 01_naive

# --- an interrupt leaves everything as it was
cp "$cpu/cpu.csv" "$work/before"
driver 01_naive 'kill -INT $$; sleep 5'
ladder run --device cpu
expect_status 130 "interrupted"
expect_says "interrupted; no file was changed"
cmp -s "$work/before" "$cpu/cpu.csv" || wrong "an interrupted run changed the record"

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
expect_in "$work/calls" "01_naive --size=1024,2048,4096 --device=gpu --dtype=f32,f16 --kernel=all --protocol=both --csv"
expect_file "$source/plots/data/fake-gpu.csv"
expect_file "$source/plots/fake-gpu/table.md"
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
ladder run 1 --device gpu --out "$work/mine.csv/inside.csv"
expect_status 1 "--out inside a file"
expect_says "is in the way: it is not a directory; the rows are in $gpu/rescued.csv"
expect_file "$gpu/rescued.csv"

# --- a repository without plots/data yet: the directory is made
driver 02_tiling 'row tile64 pass 25 4'
rm -r "$source/plots/data"
ladder run --device gpu
expect_status 0 "first campaign"
expect_file "$source/plots/data/fake-gpu.csv"
finish

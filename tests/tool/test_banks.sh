# ladder-tool banks: lists, pictures, and what it refuses. The counts themselves are in test_banks.c.
. "$(dirname "$0")/helpers.sh"
unset NO_COLOR

banks() { run "$tool" banks --source "$repository" "$@"; }
narrow() { [ "$(wc -L <"$work/out")" -le 120 ] || wrong "wider than 120 columns: $1"; }

# --- a stage: its list, and every picture in it
for stage in 02 3 04_bank_padding 05 06 07; do
    banks "$stage"
    expect_status 0 "$stage"
    narrow "$stage"
    grep -E '^[^ ]+ +(store|read|edge|copy)_' "$work/out" >"$work/list"
    expect_file "$work/list"
    while read -r kernel access rest; do
        banks "$stage" "$access" --kernel "$kernel" --warp 3
        expect_status 0 "$stage $access --kernel $kernel"
        narrow "$stage $access"
        expect_says "$kernel $access"
        expect_says "wavefront  1 |" # of a phase, or of a copy
    done <"$work/list"
done
banks 04
expect_says "pad4      read_B   Bs[k][n0 + j * 8]                    16          2     2  lane i and lane i^1 share"
expect_says "unpaired  read_B   Bs[k][n0 + j * 8]                    16          4     4"
expect_says "pad0      store_A  As[t % 2 * 4 + i * 8 + q][t / 2]      4          2     1  two lanes of a row"
banks 04 --kernel pad0
expect_silent_on pad4

# --- one access; another constant
banks 04 store_A
expect_says "04 pad4 store_A As[t % 2 * 4 + i * 8 + q][t / 2]: 16 columns, two lanes 16 banks apart"
expect_says "4 bytes a lane, warp 0; BM=64, PAD=4, i=0, q=0"
expect_says "1 phase, 1 wavefront, 1 without conflicts: no bank conflict"
banks 04 store_A -D PAD=2*4 -D q=3
expect_status 0 "-D PAD=2*4"
expect_says "PAD=8, q=3, BM=64, i=0"
expect_says "2-way bank conflict"
expect_silent_on "16 columns" # said of PAD=4
banks 02 read_A
expect_says "+ a word that several lanes want, costs once: lanes 0-31 share word 0 (it is broadcast to them)"

# --- what ldmatrix reads, and what cp.async copies
banks 07
expect_says "wrong_swizzle  read_A   &from.A[i * 16] + a_at[k / 16]       16         32     4  rows 0 to 7 have one place"
banks 07 read_A --kernel wrong_swizzle
expect_says "16 bytes a lane, elements of 2, warp 0, ldmatrix; BN=256, BK=64"
expect_says "4 phases, 32 wavefronts, 4 without conflicts: 8-way bank conflict, 28 wavefronts too many"
banks 05 read_A -D PAD=0
expect_says "8-way bank conflict"
banks 06 copy_A
expect_says "16 bytes a lane, elements of 2, warp 0, cp.async; BM"
expect_says "10 wavefronts, 4 for as many bytes in whole lines of 128: rows lie across lines of shared memory"
expect_says "wavefront 10 |"
banks 06 copy_A --svg "$work/copy.svg"
expect_in "$work/copy.svg" ">wavefront 10</text>"
expect_not_in "$work/copy.svg" "phase"
banks 06 copy_A -D PAD=0
expect_says "4 wavefronts, 4 for as many bytes in whole lines of 128: lines go to lines"

# --- a formula
banks --index 't*36' --bytes 16
expect_status 0 "--index"
expect_says "4 phases, 4 wavefronts, 4 without conflicts: no bank conflict"
banks --index 't*ROW' -D ROW=32 --bytes 16
expect_says "4 phases, 32 wavefronts, 4 without conflicts: 8-way bank conflict, 28 wavefronts too many"
banks --index 'tx*33 + ty' --block 16,16 --warp 7 --active 'tx < 8' --element 2 --bytes 2
expect_status 0 "everything"
expect_says "2 bytes a lane, elements of 2, warp 7, lanes with tx < 8"
banks --index 'lane*8' --element 2 --matrices 2
expect_says "2 phases, 2 wavefronts, 2 without conflicts"
expect_silent_on "$(printf '\033')" # no terminal, no colour

# colours on a terminal, and not where nobody wants them
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    run script -qec "'$tool' banks --index t*32" /dev/null </dev/null
    expect_says "$(printf '\033[31m')"
    NO_COLOR=1 run script -qec "'$tool' banks --index t*32" /dev/null </dev/null
    expect_silent_on "$(printf '\033[31m')"
fi

# --- SVG: valid XML, replaced when it is ours, and nothing else is
svg=$work/new/place/banks.svg
banks --index 't < 16 && t > 3 ? t*64 : t' --svg "$svg"
expect_status 0 "--svg"
expect_says "picture: $svg"
expect_in "$svg" "index t &lt; 16 &amp;&amp; t &gt; 3 ? t*64 : t</text>"
if command -v xmllint >/dev/null; then
    run xmllint --noout "$svg"
    expect_status 0 "valid XML"
fi
cp "$svg" "$work/before.svg"
banks 04 store_A --kernel pad0 --svg "$svg"
expect_status 0 "--svg again"
expect_in "$svg" "04 pad0 store_A"
! cmp -s "$svg" "$work/before.svg" || wrong "--svg left the old picture"
: >"$work/empty.svg"
banks 04 store_A --svg "$work/empty.svg"
expect_status 0 "--svg over an empty file"
refused_svg() {
    banks 04 store_A --svg "$1"
    expect_status 2 "--svg $1"
    expect_says "$2"
    expect_silent_on "phase 1"
}
printf '<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>\n' >"$work/mine.svg"
cp "$work/mine.svg" "$work/before.svg"
refused_svg "$work/mine.svg" "which is no picture of ./ladder banks; give a new name"
cmp -s "$work/mine.svg" "$work/before.svg" || wrong "--svg changed a file that is not ours"
cp "$svg" "$work/before.svg"
chmod 0444 "$svg"
refused_svg "$svg" "Permission denied"
cmp -s "$svg" "$work/before.svg" || wrong "--svg changed a protected file"
refused_svg "$work" "Is a directory"
refused_svg "$work/new/" "it needs the name of a file"
refused_svg "" "it needs the name of a file"
refused_svg "$work/mine.svg/inside.svg" "Not a directory"
banks --index 't/0' --svg "$work/never.svg"
expect_status 2 "a bad formula with --svg"
expect_no_file "$work/never.svg"

# --- bad input: a sentence that names the flag, and 2
refused() {
    sentence=$1
    shift
    banks "$@"
    expect_status 2 "$*"
    expect_says "ladder banks: $sentence"
    expect_silent_on "wavefront"
}
refused "name a stage, as in ./ladder banks 04, or give --index"
refused "01: no access to shared memory is listed for it; choose from 02_tiling, 03_register_cache" 01
refused "read_C: 04_bank_padding has no such access; ./ladder banks 04 lists them" 04 read_C
refused "read_A --kernel pad9: 04_bank_padding has no such" 04 read_A --kernel pad9
refused "--kernel pad9: none is listed for 04_bank_padding" 04 --kernel pad9
refused "c: one stage and one access at a time" 04 read_A c
refused "--svg draws one access" 04 --svg "$work/x.svg"
refused "--define k: name the access that it is for" 04 -D k=1
refused "--define PDA: the index of store_A is " 04 store_A -D PDA=1
refused "--define k: give NAME=value" 04 read_A -D k
refused "--define lane: t, lane, warp, tx and ty are the thread's own" 04 read_A -D lane=1
refused "--define k is given twice" 04 read_A -D k=1 -D k=2
refused "--define k: position 2: division by zero" 04 read_A -D k=1/0
refused "read_A: lane 0 would access element 2176 of an array of 2176" 04 read_A -D k=32
refused "--bytes goes with --index; a stage's access has its own" 04 read_A --bytes 4
refused "--index stands for a stage's access; leave out the stage 04" 04 --index t
refused "--index stands for a stage's access; leave out --kernel pad0" --kernel pad0 --index t
refused "--index: position 1: x is unknown here; known are t lane warp; -D gives a constant" --index x
refused "--index: position 1: tx is unknown here" --index tx
refused "--index: lane 0 would access element -1, before the array begins" --index t-1
refused "--index: lane 1 would move 8 bytes at byte 4, which is no multiple of 8; a GPU would stop with \"misaligned address\"" --index t --bytes 8
refused "--index: position 3: a ) is missing here" --index '(t'
refused "--bytes 3: choose from 1, 2, 4, 8, 16" --index t --bytes 3
refused "--bytes 32: choose from" --index t --bytes 32
refused "--element 0: choose from" --index t --element 0
refused "--matrices 3: choose from 1, 2, 4" --index t --matrices 3
refused "--active does not go with --matrices" --index t --matrices 1 --active 1
refused "--bytes 4 does not go with --matrices" --index t --matrices 1 --bytes 4
refused "--matrices: warp 0 of a block of 16 threads is not whole" --index t*4 --matrices 1 --block 16,1
refused "--warp 32: choose from 0 to 31" --index t --warp 32
refused "--warp -1: choose from 0 to 31" --index t --warp -1
refused "--warp 4: the block has 128 threads, so choose from 0 to 3" 04 read_A --warp 4
refused "--warp 4: the block has 128 threads, so choose from 0 to 3" 04 --warp 4
for block in 0,1 1,0 33,32 16 16,16,1 99999999999,1 x; do
    refused "--block $block: give its threads as X,Y, at most 1024 together" --index t --block "$block"
done
refused "--active: no lane of warp 0 takes part" --index t --active 0
refused "--active: position 2: division by zero" --index t --active 1/0
refused "--index: the formula is longer than 400 characters" --index "$(printf '%401s' t)"
refused "unrecognized option '--fly'" --index t --fly
if [ -w /dev/full ]; then
    "$tool" banks 04 >/dev/full 2>"$work/out"
    status=$?
    expect_status 1 "full standard output"
    expect_says "the output could not be written completely"
fi
finish

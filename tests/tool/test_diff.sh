# ladder-tool diff on two small kernels.
. "$(dirname "$0")/helpers.sh"

source="$work/a source"
mkdir -p "$source/01_naive" "$source/02_tiling"
cat >"$source/01_naive/kernel.cu" <<'CU'
// One comment.
__global__ void gemm(int n) {
    int row = 1; /* which row */
    int col = 2;
    int gone = 3;
}
CU
cat >"$source/02_tiling/kernel.cu" <<'CU'
/* Another comment
 * on two lines. */
__global__ void gemm(int n) {
    int row = 1; // the row

    int col = 20;
    const char *url = "http://x";
    int one = 1;
}
CU
small_path
difference() { PATH=$work/path run "$tool" diff --source "$source" "$@"; }

difference 01 02
expect_status 0 "diff"
expect_says "--- 01_naive/kernel.cu"
expect_says "-    int col = 2;"
expect_says '+    const char *url = "http://x";'
expect_says "3 lines changed (2 removed, 3 added)"
expect_silent_on "comment"

difference 01_naive 02_tiling --comments
expect_says "-// One comment."
expect_says "+ * on two lines. */"

difference 01 01
expect_status 0 "no difference"
expect_says "0 lines changed"

# With a formatter, both sides go through it.
fake clang-format 'sed "s/^ *//"'
difference 01 02
expect_says "-int col = 2;"
expect_says "3 lines changed"

difference 1 2
expect_status 0 "plain numbers"
expect_says "3 lines changed"
difference 01 07
expect_status 2 "no such stage"
expect_says "07: no such stage"
difference 01
expect_status 2 "one stage"
expect_says "two stages are needed"
difference 01 02 --file kernel_hopper.cu
expect_status 1 "no such file"
expect_says "kernel_hopper.cu"
fake clang-format 'kill -INT $PPID; exec sleep 60'
mkdir "$work/tmp"
TMPDIR=$work/tmp difference 01 02
expect_status 130 "interrupted"
[ -z "$(ls "$work/tmp")" ] || wrong "left in TMPDIR: $(ls "$work/tmp")"
rm "$work/path/clang-format"
mkdir "$work/-tmp"
cd "$work" || exit 1
TMPDIR=-tmp difference 01 02
expect_status 0 "TMPDIR=-tmp"
expect_says "3 lines changed"
PATH=$work/path "$tool" diff --source "$source" 01 02 <&- >&- 2>"$work/out"
status=$?
expect_status 1 "closed standard streams"
expect_says "the output could not be written completely"
expect_silent_on diffutils
rm "$work/path/diff"
difference 01 02
expect_status 1 "no diff command"
expect_says "install it (diffutils)"
finish

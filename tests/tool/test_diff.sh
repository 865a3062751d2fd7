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

difference 01 07
expect_status 1 "no such stage"
expect_says "07: no such stage"
difference 01
expect_status 2 "one stage"
expect_says "two stages are needed"
difference 01 02 --file kernel_hopper.cu
expect_status 1 "no such file"
expect_says "kernel_hopper.cu"
rm "$work/path/diff"
difference 01 02
expect_status 1 "no diff command"
expect_says "install it (diffutils)"
finish

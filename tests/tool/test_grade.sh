# ladder-tool grade: what files earn, what is said of those that cannot be marked, and that nothing that a file does hangs the
# marking, outlives it or earns points that it should not.
# usage: sh test_grade.sh LADDER_TOOL REPOSITORY BIN
. "$(dirname "$0")/helpers.sh"

# A build directory of our own: the drivers are the real ones, what is built and run lies here.
bin=$work/tree/bin
mkdir -p "$work/tree/grade" "$work/tree/count" "$work/my files"
ln -s "$3" "$work/real"
mkdir "$bin"
for stage in 01_naive 02_tiling 03_register_cache 04_bank_padding 05_tensorcore 06_double_buffer 07_swizzle_layout; do
    ln -s "$3/$stage" "$bin/$stage"
    cp "$3/../grade/$stage" "$work/tree/grade/$stage"
done
cp "$3/../count/toolchain" "$work/tree/count/toolchain"
cd "$work/my files" || exit 1

# Everything comes twice, first as one line: sentences are wrapped.
grade() {
    run "$tool" grade --source "$repository" --bin "$bin" --device cpu "$@"
    { tr -s ' \n' ' ' <"$work/out" && echo && cat "$work/out"; } >"$work/unwrapped"
    mv "$work/unwrapped" "$work/out"
}
# points: of the last line of the last run.
points() { sed -n '$s/.*: \([0-9]*\) of [0-9]* points$/\1/p' "$work/out"; }
expect_points() { [ "$(points)" = "$1" ] || wrong "not $1 points: $2"; }
expect_fewer() { earned=$(points) && [ "${earned:-1000}" -lt "$1" ] || wrong "not fewer than $1 points: $2"; }
expect_nothing_left() {
    if ls -d "$work/tree/grade"/run.* >/dev/null 2>&1; then wrong "a directory is left: $1"; fi
    for exe in /proc/[0-9]*/exe; do
        case $(readlink "$exe") in
        "$work/tree/grade/"*) wrong "a process is left: $1" ;;
        esac
    done
}
# marked POINTS FILE SENTENCE...: stage 01 with these points, and with each sentence.
marked() {
    want=$1 file=$2
    shift 2
    grade 01 "$file" --time-limit 10
    expect_status 0 "$file"
    expect_points "$want" "$file"
    for sentence in "$@"; do expect_says "$sentence"; done
    expect_nothing_left "$file"
}

# only STAGE FUNCTION NAME FILE [KERNEL.CU]: the stage's kernel file with one of its launch functions, under another name.
# Without the others it compiles in a third of the time.
only() {
    awk -v own="$2" '/^extern "C" {/ { listed = 1 }
        listed && /^[a-z_A-Z]+ [a-z_0-9]+\(/ { left_out = $0 !~ "[ *]" own "(_footprint)?\\(" }
        /^GEMM_KERNEL\(/ { left_out = $0 !~ "\\(" own "," }
        !left_out
        /}$|^GEMM_KERNEL/ { left_out = 0 }' \
        "$repository/$1/${5:-kernel.cu}" | sed "s/\\b$2\\b/$3/; s/\\b$2_footprint\\b/$3_footprint/" >"$4"
}

# ---- The kernels of the tutorial ----
# Each stage's earn 100, its exercise as handed out and each kernel of the stage before nothing.
stage_is_marked() { # STAGE MARKED [STAGE-BEFORE FUNCTION...]
    stage=$1 marked=$2
    shift 2
    grade "$stage" "$repository/$stage/kernel.cu" --json "$stage.json" --require 100 --time-limit 100
    expect_status 0 "$stage/kernel.cu"
    expect_points 100 "$stage/kernel.cu"
    expect_says "$stage: 100 of 100 points"
    expect_says ", $marked() of $repository/$stage/kernel.cu"
    python3 -m json.tool "$stage.json" >/dev/null || wrong "$stage.json is no JSON"
    git -C "$repository" show "HEAD:$stage/exercise.cu" >exercise.cu 2>/dev/null || cp "$repository/$stage/exercise.cu" .
    grade "$stage" exercise.cu --json exercise.json # as it is handed out, whatever a reader has made of it
    expect_status 0 "$stage/exercise.cu"
    python3 -m json.tool exercise.json >/dev/null || wrong "exercise.json is no JSON"
    expect_points 0 "$stage/exercise.cu"
    expect_says "not right without gaps between the rows either: see values"
    [ $# -gt 0 ] || return 0
    before=$1
    shift
    for function in "$@"; do
        only "$before" "$function" "$marked" before.cu
        grade "$stage" before.cu
        expect_status 0 "$function"
        expect_points 0 "$function as $stage"
        expect_says "a right result alone is the work of the stage before"
    done
}
stage_is_marked 01_naive naive_coalesced
stage_is_marked 02_tiling tiling_64 01_naive naive_coalesced naive_uncoalesced
stage_is_marked 03_register_cache register_cache_8x8 02_tiling tiling_64 tiling_32 tiling_128
stage_is_marked 04_bank_padding bank_padding_pad4 03_register_cache register_cache_8x8 register_cache_4x4 \
    register_cache_16x16
stage_is_marked 05_tensorcore tensorcore_mma 04_bank_padding bank_padding_pad4 bank_padding_pad0 bank_padding_unpaired
stage_is_marked 06_double_buffer double_buffer_stages3 05_tensorcore tensorcore_mma tensorcore_pad0
stage_is_marked 07_swizzle_layout swizzle_layout_swizzle 06_double_buffer double_buffer_stages3 double_buffer_stages2 \
    double_buffer_stages4 double_buffer_one_step
expect_nothing_left "kernels of the tutorial"
grade 03 "$repository/02_tiling/kernel.cu"
expect_points 0 "02's file as 03"
expect_says "03_register_cache: kernel 8x8, tiling_64() of"
expect_says "has no register_cache_8x8(); tiling_64() is marked in its place."

# The table of variants in grade_scheme.c is that of each main.c, as far as they are in kernel.cu.
python3 - "$repository" <<'PY' >"$work/out" 2>&1 || wrong "grade_scheme.c has other variants than a main.c"
import re, sys
schemes = open(sys.argv[1] + "/common/tool/grade_scheme.c").read()
for stage in re.findall(r'\.stage = "(\w+)"', schemes):
    main = open("%s/%s/main.c" % (sys.argv[1], stage)).read()
    kernel = open("%s/%s/kernel.cu" % (sys.argv[1], stage)).read()
    table = re.search(r"kernels\[\] = \{(.*?)\n\};", main, re.S).group(1)
    rows = re.findall(r'\.name = "(\w+)",[^{}]*?\.launch = (\w+),', table)
    expected = [row for row in rows if re.search(r"(cudaError_t |GEMM_KERNEL\()%s\b" % row[1], kernel)]
    scheme = re.search(r'\.stage = "%s".*?\.variants = \{(.*?)\}\}' % stage, schemes, re.S).group(1)
    assert expected and re.findall(r'"(\w+)", "(\w+)"', scheme) == expected, (stage, expected)
PY

# ---- Files that are nearly right ----
change() { # STAGE FILE SED [KERNEL.CU]
    sed "$3" "${4:-$repository/$1/kernel.cu}" >"$2"
    ! cmp -s "${4:-$repository/$1/kernel.cu}" "$2" || wrong "$2 is not changed: $3"
}
# earns POINTS STAGE FILE SENTENCE...
earns() {
    want=$1 file=$3
    grade "$2" "$3" --json points.json
    shift 3
    expect_status 0 "$file"
    expect_points "$want" "$file"
    for sentence in "$@"; do expect_says "$sentence"; done
    python3 - points.json "$want" <<'PY' || wrong "the sum of points.json"
import json, sys
sheet = json.load(open(sys.argv[1]))
assert sheet["points"] == int(sys.argv[2]) == sum(test["points"] for test in sheet["tests"])
assert all(test["help"] for test in sheet["tests"] if test["points"] < test["of"])
PY
}
# Threads down a column: results are right, and no goal is reached. In 01 that is worth the points for results.
change 01_naive uncoalesced.cu 's/COALESCED ?/!COALESCED ?/'
earns 60 01 uncoalesced.cu "a load of a warp takes 16.5 sectors of 32 bytes on the average" "uncoalesced.cu:32" \
    "a store of a warp takes 32 sectors"
# Without the padding: one goal of three is lost.
only 04_bank_padding bank_padding_pad0 bank_padding_pad4 pad0.cu
earns 62 04 pad0.cu "1024 wavefronts of shared memory are bank conflicts, most in pad0.cu:57" "Results count 25/40"
grade 04 pad0.cu --require 70
expect_status 3 "--require"
expect_says "are fewer than the 70 that --require asks for"
# The article's tile: more than half. One file has it under the stage's own name, without the others.
only 03_register_cache register_cache_4x4 register_cache_8x8 4x4.cu
earns 62 03 4x4.cu "0.5 requests to shared memory for 32 multiply-adds"
# Of 05 to 07: one goal of three each.
only 05_tensorcore tensorcore_pad0 tensorcore_mma pad0.cu
earns 75 05 pad0.cu "wavefronts of shared memory are bank conflicts, most in pad0.cu:" "Results count 30/40"
only 06_double_buffer double_buffer_stages3 double_buffer_stages3 ring.cu
change 06_double_buffer two.cu 's/if (k == 0) {.*/if (k == 0) { __syncthreads();/' ring.cu
earns 75 06 two.cu "a block meets 18 barriers for eight pieces of depth 64, and the goal is 12 at most"
only 07_swizzle_layout swizzle_layout_wrong_swizzle swizzle_layout_swizzle wrong.cu
earns 50 07 wrong.cu "are bank conflicts, most in wrong.cu:" "let the chunks of a row change places by XOR"
# Blocks that compute no tile of their own: no matter of shapes.
only 07_swizzle_layout swizzle_layout_swizzle swizzle_layout_swizzle strip.cu
change 07_swizzle_layout height.cu 's/min(STRIP, tiles_m - first)/min(STRIP, tiles_m)/' strip.cu
earns 0 07 height.cu "1 of 2 right; --m 2304 --n 512 --k 64" "looked at when values, or bf16 inputs, are right"
change 07_swizzle_layout always.cu 's/in_strip % height, tile_n = in_strip \/ height/in_strip % STRIP, tile_n = in_strip \/ STRIP/' strip.cu
earns 0 07 always.cu "looked at when values, or bf16 inputs, are right"
# Copies that nobody waits for.
change 06_double_buffer wait.cu 's/cp_async_wait<STAGES - 2>/cp_async_wait<STAGES - 1>/' ring.cu
earns 0 06 wait.cu "looked at when values, or bf16 inputs, are right"
# WMMA is on tensor cores, but its lanes load elements; its sums in half are wrong where sums in float are asked for.
only 05_tensorcore tensorcore_wmma tensorcore_mma wmma.cu kernel_wmma.cu
earns 50 05 wmma.cu "34816 requests to shared memory are loads by lanes" "Results count 20/40"
only 05_tensorcore tensorcore_wmma_half tensorcore_mma half.cu kernel_wmma.cu
earns 0 05 half.cu "looked at when values, or bf16 inputs, are right"
# What is in the stage's other kernel files is not for this one to replace.
only 05_tensorcore tensorcore_mma tensorcore_mma taken.cu
echo 'extern "C" cudaError_t tensorcore_wmma(const gemm_problem *, cudaStream_t) { return cudaSuccess; }' >>taken.cu
earns 0 05 taken.cu "taken.cu defines tensorcore_wmma, which the stage has in another kernel file"
earns 0 05 "$repository/05_tensorcore/kernel_wmma.cu" "has no function that can be marked: tensorcore_mma()"
expect_silent_on "is marked in its place"
# Nothing but tile128 and tile32: the first of the two in main.c.
grep -v tiling_64 "$repository/02_tiling/kernel.cu" >two.cu
earns 100 02 two.cu "02_tiling: kernel tile32, tiling_32() of two.cu" "tiling_32() is marked in its place"
# Inputs that it never reads, all taken for 1: right where they are 1, which proves nothing.
change 03_register_cache ones.cu 's/= a_copy\[i\];/= 1.0f;/; s/= b_copy\[j\];/= 1.0f;/'
earns 0 03 ones.cu "looked at when values, or half inputs, are right"
# One mistake costs points about once.
only 02_tiling tiling_64 tiling_64 64.cu
change 02_tiling alpha.cu 's/alpha \* acc\[i\]\[j\] + old/acc[i][j] + old/' 64.cu
earns 96 02 alpha.cu "Look first at: alpha, beta" "4 of 6 right"
change 02_tiling beta.cu 's/alpha \* acc\[i\]\[j\] + old/alpha * acc[i][j]/' 64.cu
earns 96 02 beta.cu "Look first at: alpha, beta" "4 of 6 right"
change 02_tiling read.cu 's/beta == 0.0f ? 0.0f : beta/beta/' 64.cu
earns 90 02 read.cu "must-not-read in kernel tile64, read.cu:60"
change 02_tiling border.cu 's/row < M && k < K ? to_float/row < M ? to_float/' 64.cu
earns 86 02 border.cu "1 of 6 right; --m 129 --n 257 --k 65: C[128][0] was never written" "A has 129 rows and 65 columns"
change 02_tiling column.cu 's/row0 + ty + i \* BLOCK, k = k0 + tx;/row0 + tx + i * BLOCK, k = k0 + ty;/
    s/As\[ty + i \* BLOCK\]\[tx\] =/As[tx + i * BLOCK][ty] =/' 64.cu
earns 75 02 column.cu "a load of a warp takes 18 sectors of 32 bytes on the average" "Results count 30/40"
change 02_tiling variant.cu '/tiling_128(const gemm_problem/s/return [^}]*/return cudaSuccess; /'
earns 92 02 variant.cu "Look first at: all variants" "tile128: C[0][0] is"
# A product that does not end loses its points, and those of the same row.
change 02_tiling hang.cu 's/= {};/= {}; if (M == 129) for (;;) __syncthreads();/' 64.cu
grade 02 hang.cu --time-limit 6
expect_points 84 hang.cu
expect_says "--m 129 --n 257 --k 65: this product did not end within"

# A barrier that is missing, though in the order in which the CPU device runs threads the values come out right.
change 01_naive race.cu 's/float acc = 0.0f;/__shared__ float zeros[THREADS]; \
    zeros[threadIdx.y * BLOCK + threadIdx.x] = 0.0f; \
    float acc = zeros[0];/'
earns 92 01 race.cu "race in kernel coalesced, race.cu:31 and race.cu:32" "race at race.cu:31 and race.cu:32, told above"
python3 - points.json <<'PY' || wrong "the findings of race.cu"
import json, sys
sheet = json.load(open(sys.argv[1]))
findings = sheet["findings"]
assert findings and all(f["kind"] == "race" and f["file"] == "race.cu" and f["line"] and f["other_line"] for f in findings)
assert sheet["status"] == "marked" and sheet["kernel"] == {"variant": "coalesced", "function": "naive_coalesced"}
PY

# ---- Files that cannot be marked ----
# kernel_file NAME: a file for stage 01 whose launch function has the body on standard input.
kernel_file() {
    {
        cat <<'CU'
#include "gemm.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>
extern "C" gemm_footprint naive_coalesced_footprint(const gemm_problem *) { return {nullptr, 1, 0}; }
__global__ void nothing() {}
__global__ void right(gemm_problem p) {
    const int64_t col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= p.N)
        return;
    float acc = 0;
    for (int64_t k = 0; p.alpha != 0 && k < p.K; k++)
        acc += ((const float *)p.A)[row * p.lda + k] * ((const float *)p.B)[k * p.ldb + col];
    float *c = &((float *)p.C)[row * p.ldc + col];
    *c = p.alpha * acc + (p.beta == 0 ? 0 : p.beta * *c);
}
static cudaError_t launch_right(const gemm_problem *p) {
    right<<<dim3((unsigned)(p->N + 31) / 32, (unsigned)p->M), 32>>>(*p);
    return cudaGetLastError();
}
CU
        cat
    } >"$1"
}
launch='extern "C" cudaError_t naive_coalesced(const gemm_problem *p, cudaStream_t)'

cat >compile.cu <<'CU'
#include "gemm.h"
__global__ void k() {
    int x = undeclared;
}
CU
marked 0 compile.cu "compile.cu does not compile: compile.cu:3: " "compile.cu:3:13: error"
change 02_tiling template.cu 's/acc\[i\]\[j\] += As/unknown += As/'
earns 0 02 template.cu "template.cu does not compile: template.cu:50: "
[ "$(grep -c 'error: ' "$work/out")" = 2 ] || wrong "one error is not shown once" # and once more in the first, unwrapped, line
expect_in points.json '"status": "does-not-compile"'
cat >convert.cu <<'CU'
#include "gemm.h"
texture<float> t;
CU
grade 01 convert.cu
expect_status 0 convert.cu
expect_points 0 convert.cu
expect_says "convert.cu:2"
cat >endless.cu <<'CU'
#include "gemm.h"
#include "/dev/zero"
CU
marked 0 endless.cu "endless.cu" # to clang, which asks for the size of the file, it is empty
echo '#include "gemm.h"' >empty.cu
marked 0 empty.cu "empty.cu has no function that can be marked: naive_coalesced() and naive_coalesced_footprint() are wanted"
echo 'int main() { return 0; }' | kernel_file main.cu
echo "$launch { return launch_right(p); }" >>main.cu
marked 0 main.cu "main.cu has a main() of its own"
kernel_file undefined.cu <<CU
void missing();
$launch { missing(); return launch_right(p); }
CU
marked 0 undefined.cu "undefined.cu cannot be linked" "missing"

# ---- Files that misbehave ----
kernel_file loop.cu <<CU
__global__ void forever(volatile int *p) { while (!*p) continue; }
$launch {
    static int zero;
    forever<<<1, 1>>>(&zero);
    return cudaGetLastError();
}
CU
grade 01 loop.cu --time-limit 2 --json loop.json
expect_status 0 loop.cu
expect_points 0 loop.cu
expect_says "--m 256 --n 256 --k 64 --beta 1e-30: this product did not end within"
expect_says "not right without gaps between the rows either: see values"
expect_in loop.json '"status": "time"'
expect_nothing_left loop.cu
kernel_file stubborn.cu <<CU
#include <csignal>
$launch {
    signal(SIGTERM, SIG_IGN);
    if (fork() == 0)
        for (;;)
            pause();
    for (;;)
        pause();
}
CU
grade 01 stubborn.cu --time-limit 0.5
expect_points 0 stubborn.cu
expect_nothing_left stubborn.cu
kernel_file device_memory.cu <<CU
$launch {
    for (int i = 0; i < 64; i++) {
        void *memory = nullptr;
        if (cudaMalloc(&memory, (size_t)64 << 20) == cudaSuccess)
            cudaMemset(memory, 1, (size_t)64 << 20);
    }
    for (;;)
        pause();
}
CU
grade 01 device_memory.cu --memory-limit 256 --time-limit 20
expect_points 0 device_memory.cu
expect_says "this product took more than 256 MiB of memory (--memory-limit)"
kernel_file host_memory.cu <<CU
static std::vector<std::vector<char>> hoard;
$launch {
    for (int i = 0; i < 64; i++)
        hoard.emplace_back((size_t)64 << 20, 'x');
    for (;;)
        pause();
}
CU
grade 01 host_memory.cu --memory-limit 256 --time-limit 20
expect_points 0 host_memory.cu
expect_says "this product took more than 256 MiB of memory (--memory-limit)"
kernel_file output.cu <<CU
$launch {
    for (;;)
        puts("and so on");
}
CU
marked 0 output.cu "wrote more than 64 MiB into a file or to its output"
kernel_file null.cu <<CU
__global__ void store(int *p) { *p = 1; }
$launch {
    store<<<1, 1>>>(nullptr);
    return cudaGetLastError();
}
CU
marked 0 null.cu "a null pointer"
kernel_file crash.cu <<CU
$launch { abort(); }
CU
marked 0 crash.cu "was ended by signal 6"

# ---- Files that would rather not be judged ----
kernel_file claims.cu <<CU
__attribute__((constructor)) static void claim() {
    printf("PASS\n01_naive: 100 of 100 points\n");
    exit(0);
}
$launch { return launch_right(p); }
CU
marked 0 claims.cu "ended with exit status 0 without a result that can be judged"
kernel_file verify.cu <<CU
extern "C" void verify(const void *, const void *, void *) {}
$launch { return launch_right(p); }
CU
marked 0 verify.cu "verify.cu defines verify, which the harness needs for itself; give it another name"
kernel_file libc.cu <<CU
extern "C" double fabs(double) { return 0; }
extern "C" int snprintf(char *, size_t, const char *, ...) { return 0; }
$launch { return launch_right(p); }
CU
grade 01 libc.cu
expect_points 0 libc.cu
expect_says "which the harness needs for itself"
kernel_file counting.cu <<CU
extern "C" void cpu_device_count_launches(const char *);
$launch {
    cpu_device_count_launches(nullptr);
    return launch_right(p);
}
CU
marked 0 counting.cu "counting.cu uses cpu_device_count_launches"
kernel_file checking.cu <<CU
extern "C" void cpu_device_check_launches(const char *);
$launch {
    cpu_device_check_launches(nullptr);
    return launch_right(p);
}
CU
marked 0 checking.cu "checking.cu uses cpu_device_check_launches"
kernel_file forgetting.cu <<CU
extern "C" void finding_begin_label(void);
$launch {
    finding_begin_label();
    return launch_right(p);
}
CU
marked 0 forgetting.cu "forgetting.cu uses finding_begin_label"
# The product on the CPU is right, but the launch that is counted multiplies nothing.
kernel_file host.cu <<CU
$launch {
    const float *A = (const float *)p->A, *B = (const float *)p->B;
    float *C = (float *)p->C;
    for (int64_t i = 0; i < p->M; i++)
        for (int64_t j = 0; j < p->N; j++) {
            double acc = 0;
            for (int64_t k = 0; p->alpha != 0 && k < p->K; k++)
                acc += (double)A[i * p->lda + k] * B[k * p->ldb + j];
            C[i * p->ldc + j] = (float)(p->alpha * acc + (p->beta == 0 ? 0 : p->beta * C[i * p->ldc + j]));
        }
    nothing<<<1, 1>>>();
    return cudaGetLastError();
}
CU
grade 01 host.cu
expect_says "the launches do fewer operations than this product takes"
expect_fewer 60 host.cu

# ---- JSON alone, on standard output ----
"$tool" grade --source "$repository" --bin "$bin" --device cpu 01 null.cu --json - 2>/dev/null >"$work/out"
python3 - "$work/out" <<'PY' || wrong "--json - does not say what it should"
import json, sys
sheet = json.load(open(sys.argv[1]))
assert sheet["stage"] == "01_naive" and sheet["file"] == "null.cu" and sheet["points"] == 0
assert sheet["of"] == 100 == sum(test["of"] for test in sheet["tests"])
assert sheet["scheme"] >= 3 and sheet["status"] in ("marked", "crash") and sheet["limits"]["mebibytes"] == 2048
assert "illegal memory access" in sheet["tests"][0]["help"]
assert [(f["kind"], f["file"]) for f in sheet["findings"]] == [("out-of-bounds", "null.cu")]
PY

# ---- Where the file lies ----
mkdir "read only"
cp "$repository/01_naive/kernel.cu" "read only/my kernel.cu"
chmod 555 "read only"
grade 1 "read only/my kernel.cu"
expect_status 0 "a path with blanks"
expect_points 100 "a path with blanks"
chmod 755 "read only"

# ---- Old builds go ----
number=0
while [ "$number" -lt 60 ]; do
    number=$((number + 1))
    mkdir -p "$work/tree/grade/old$number-00000000/source"
    touch "$work/tree/grade/old$number-00000000/lock"
    touch -d '2001-01-01' "$work/tree/grade/old$number-00000000"
done
grade 01 empty.cu
grade 01 null.cu
[ "$(ls -d "$work/tree/grade"/*-*/ | wc -l)" = 50 ] || wrong "not the newest 50 folders are left"
ls -d "$work/tree/grade"/null-* >/dev/null || wrong "the folder that was just used is gone"
expect_file "$work/tree/grade/01_naive"

# ---- Interrupted: nothing is left ----
"$tool" grade --source "$repository" --bin "$bin" --device cpu 01 loop.cu --time-limit 60 >"$work/out" 2>&1 &
tool_process=$!
tries=0
until pgrep -P "$tool_process" >/dev/null && ls "$work/tree/grade"/run.*/01_naive >/dev/null 2>&1 || [ "$tries" -ge 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -TERM "$tool_process"
wait "$tool_process"
status=$?
expect_status 143 "ended by SIGTERM"
expect_says "interrupted"
expect_nothing_left "an interruption"

# ---- The command line ----
refused() { # SENTENCE ARGUMENT...
    sentence=$1
    shift
    grade "$@"
    expect_status 2 "$*"
    expect_says "$sentence"
}
refused "name a stage"
refused "9: no such stage; choose from 01_naive, 02_tiling" 9
refused "nowhere.cu: there is no such file" 01 nowhere.cu
refused "is a directory; name one .cu file" 01 "$repository/01_naive"
refused "is not a .cu file" 01 "$repository/01_naive/main.c"
refused "one stage and one file are marked at a time" 01 loop.cu loop.cu
refused "--require 101: it must be a number from 0 to 100" 01 loop.cu --require 101
refused "--time-limit soon: it must be a number of seconds from 0.1 to 86400" 01 loop.cu --time-limit soon
refused "--memory-limit 2: it must be a number of MiB from 64 to 1048576" 01 loop.cu --memory-limit 2
refused "--json: cannot write" 01 loop.cu --json /proc/none.json
refused "--json: there is no directory nowhere; make it first" 01 loop.cu --json nowhere/points.json
cp empty.cu kept.cu
refused "--json: kept.cu is there and is no file of points" 01 loop.cu --json kept.cu
cmp -s empty.cu kept.cu || wrong "--json took a file that is none of points"
cp 01_naive.json old.json
refused "nowhere.cu: there is no such file" 01 nowhere.cu --json old.json
[ -e old.json ] && [ ! -s old.json ] || wrong "points of an earlier marking are left"
if [ "$(id -u)" -ne 0 ]; then
    cp empty.cu secret.cu
    chmod 000 secret.cu
    refused "cannot read secret.cu" 01 secret.cu
fi
run "$tool" grade --targets --source "$repository" --bin "$bin" --device cpu 03
[ "$(cat "$work/out")" = "03_register_cache
02_tiling" ] || wrong "not the targets of 03"
grade --help
expect_status 0 --help
expect_says "the work of the stage before"
finish

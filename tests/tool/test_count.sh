# ladder-tool count: what it hands to the drivers, what it makes of their counts, programs of one file, and that nothing
# is written where something went wrong.
# usage: sh test_count.sh LADDER_TOOL REPOSITORY BIN
. "$(dirname "$0")/helpers.sh"

# A repository with fake drivers beside the real library: FILE.cu is built with that.
source=$work/repository
bin=$work/tree/bin
mkdir -p "$bin" "$work/tree/count" "$source/01_naive" "$work/files"
cp "$3/../count/toolchain" "$work/tree/count/toolchain"
cp -r "$repository/common" "$source/common"
printf '// line one\n    c = a * b;\n' >"$source/01_naive/kernel.cu"
header=stage,kernel,dtype,m,n,k,source,line,counter,value
cd "$work/files" || exit 1
csv=$work/out.csv

# driver NAME BODY: a script whose BODY may use `counts KERNEL N VALUE`, one launch of a cube N into --counts FILE.
driver() {
    cat >"$bin/$1" <<SCRIPT
#!/bin/sh
echo "$1 \$*" >>"$work/calls"
stage=$1
header=$header
SCRIPT
    cat >>"$bin/$1" <<'SCRIPT'
while [ $# -gt 0 ]; do
    [ "$1" = --counts ] && file=$2
    shift
done
counts() {
    [ -e "$file" ] || echo "$header" >"$file"
    row="$stage,$1,f32,$2,$2,$2"
    cat >>"$file" <<ROWS
$row,_Z4gemm,0,launches,1
$row,_Z4gemm,0,blocks,4
$row,_Z4gemm,0,threads_per_block,256
$row,_Z4gemm,0,static_shared_bytes,0
$row,_Z4gemm,0,dynamic_shared_bytes,0
$row,_Z4gemm,0,barriers,8
$row,_Z4gemm,0,flops,$3
$row,_Z4gemm,0,block_sectors,64
$row,_Z4gemm,0,launch_sectors,16
$row,kernel.cu,2,global_load_requests,10
$row,kernel.cu,2,global_load_lanes,320
$row,kernel.cu,2,global_load_bytes,1280
$row,kernel.cu,2,global_load_sectors,40
$row,kernel.cu,2,global_load_cache_lines,10
ROWS
}
SCRIPT
    printf '%s\n' "$2" >>"$bin/$1"
    chmod +x "$bin/$1"
}
count() { run "$tool" count --source "$source" --bin "$bin" --device cpu "$@"; }
calls() { : >"$work/calls"; }
# refused STATUS SENTENCE ARGUMENT...: with that status and sentence, and no driver was called.
refused() {
    expected=$1 sentence=$2
    shift 2
    calls
    count "$@"
    expect_status "$expected" "$*"
    expect_says "$sentence"
    expect_not_in "$work/calls" _
}

# ---- Stages ----
count
expect_status 1 "no drivers"
expect_says "no stage driver in"
driver 01_naive 'counts coalesced 64 524288'
driver 02_tiling 'counts tile32 64 524288; counts tile64 64 1000000'
calls
count
expect_status 0 "all stages"
expect_says "01 coalesced"
expect_says "02 tile64"
expect_says "What binds on NVIDIA H200 (model)"
expect_silent_on "c = a * b;" # several kernels: line by line only when asked
calls
count 1 --size 64 --dtype f32,f16 --kernel coalesced --m 3
expect_status 0 "one stage"
expect_in "$work/calls" "--protocol=none --size=64 --dtype=f32,f16 --kernel=coalesced --m=3"
expect_not_in "$work/calls" 02_tiling
expect_says "kernel.cu:2"
expect_says "c = a * b;"
expect_says "524 k"
count 01 2 --lines
expect_says "02_tiling tile32 f32"
expect_says "c = a * b;"
refused 2 "9: no such stage; choose from 01_naive, 02_tiling" 9
count --targets 1
expect_status 0 "--targets"
[ "$(cat "$work/out")" = 01_naive ] || wrong "--targets printed something else"
refused 2 "9: no such stage; choose from 01_naive" --targets 9

# ---- The model ----
count 1 --gpu-model t4
expect_status 0 "--gpu-model t4"
expect_says "What binds on Tesla T4 (model)"
expect_says "n/a"
refused 2 "--gpu-model gtx: not in the table; choose from h200, h100, a100, rtx4090, rtx3090, t4" 1 --gpu-model gtx
for number in 0 -5 12x 1.5 "" 1e7 nan; do
    refused 2 "--as $number: it must be a whole number from 1 to 1000000" 1 "--as=$number"
done
count 1 --as 4096
expect_status 0 "--as"
expect_says "Counted on a product 64 times smaller"
count 1 --as 32
expect_status 2 "--as below the size"
expect_says "--as 32: it must not be smaller than the product that is counted, 64"
driver 03_two_cubes 'exit 2'
count --kernel coalesced
expect_status 0 "a stage without the kernel"
expect_says "03_two_cubes: left out"
driver 01_naive 'exit 2'
driver 02_tiling 'exit 2'
count --kernel nowhere
expect_status 2 "no stage with the kernel"
driver 01_naive 'counts coalesced 64 524288'
driver 02_tiling 'counts tile32 64 524288; counts tile64 64 1000000'
driver 03_two_cubes 'counts a 64 1; counts a 128 1'
count 3 --as 4096
expect_status 2 "--as with two cubes"
expect_says "--as scales one cube; give --size one number"
expect_silent_on "What binds"
driver 03_two_cubes 'counts a 64 1; sed -i s/64,64,64/64,64,65/ "$file"'
count 3 --as 4096
expect_status 2 "--as without a cube"
expect_says "--as scales cubes only; give --size, not --m, --n and --k"
rm "$bin/03_two_cubes"

# ---- A stage of two files: nvcc is given both, and lines have the text of theirs; another type has its own record ----
printf '// line one\n    d = e;\n' >"$source/01_naive/kernel_other.cu"
printf '#!/bin/sh\nfor file in "$@"; do :; done\n[ "${file%%/kernel_bad.cu}" = "$file" ] || exit 1\necho "$file" >>"%s"
case $file in
*/kernel_other.cu) echo "ptxas info : Compiling entry function '"'_Z4gemm'"' for '"'sm_90a'"'" "Used 77 registers" ;;
esac\n' "$work/compiled" >"$work/nvcc"
chmod +x "$work/nvcc"
mkdir -p "$source/plots/data/f32"
sed 's/,4096,4096,4096,/,64,64,64,/; s/,f16,/,f32,/' "$here/data/two-stages.csv" >"$source/plots/data/f32/nvidia-h200.csv"
driver 01_naive 'counts coalesced 64 524288; sed -i s/kernel.cu,2/kernel_other.cu,2/ "$file"'
count 1 --nvcc "$work/nvcc"
expect_status 0 "a stage of two files"
[ "$(sed 's|.*/||' "$work/compiled" | tr '\n' ' ')" = "kernel.cu kernel_other.cu " ] || wrong "nvcc was given other files"
grep -q '01 coalesced *f32 *77 ' "$work/out" || wrong "registers of the second file"
expect_silent_on "registers n/a"
expect_says "29.37 ms"
expect_says "d = e;"
: >"$source/01_naive/kernel_bad.cu"
driver 01_naive 'counts coalesced 64 524288; sed -i s/_Z4gemm/_ZL4gemm/ "$file"'
count 1 --nvcc "$work/nvcc"
grep -q '01 coalesced *f32 *77 ' "$work/out" || wrong "registers of a static kernel, whose name nvcc writes without L"
driver 01_naive 'counts coalesced 64 524288; sed -i s/_Z4gemm/_Z5other/ "$file"'
count 1 --nvcc "$work/nvcc"
expect_says "registers n/a: nvcc does not compile its file"
rm -r "$source/01_naive"/kernel_* "$source/plots"
driver 01_naive 'counts coalesced 64 524288'

# ---- Tensor cores and copies ----
driver 03_tensor 'counts a 64 0
cat >>"$file" <<ROWS
$row,kernel.cu,1,shared_async_requests,4
$row,kernel.cu,1,global_load_l2_sectors,96
$row,kernel.cu,2,shared_load_requests,2000
$row,kernel.cu,2,shared_load_wavefronts,8000
$row,kernel.cu,2,ldmatrix_requests,1500
$row,kernel.cu,2,ldmatrix_wavefronts,6000
$row,kernel.cu,2,tensor_requests,128
$row,kernel.cu,2,tensor_flops,524288
ROWS'
count 3
expect_status 0 "tensor cores and copies"
expect_says "shared ld  wavefr.  ldmatrix  wavefr."
expect_says "2.00 k        4    1.50 k        4"
expect_says "cp.async  L2 sect."
expect_says "         4        24"
expect_says "FLOP  tensor"
expect_says "~ 0   524 k"
expect_says "kernel.cu:2  mma"
expect_says "kernel.cu:1  cp.async"
expect_says "03 a f32: tensor cores 17 ns at the datasheet's peak; 27 ns at the 64 % of it that a loop of mma.sync alone was measured"
two='for kernel in b c; do
    counts $kernel 64 0
    echo "$row,kernel.cu,2,tensor_flops,524288" >>"$file"
done'
driver 03_tensor "$two"
count 3
[ "$(grep -c 'mma.sync alone' "$work/out")" -eq 1 ] || wrong "the same figures are told more than once"
expect_says "03 b f32, and 1 more: tensor cores 17 ns"
driver 03_tensor "$two; sed -i s/,f32,/,tf32,/ \"\$file\""
count 3
expect_says "03 b    tf32"
expect_silent_on "mma.sync alone" # what it reaches of the peak for TF32 was not measured
count 1
expect_silent_on ldmatrix
expect_silent_on cp.async
expect_silent_on tensor
rm "$bin/03_tensor"
sed "s|\"ptx.cuh\"|\"$repository/common/kernel/ptx.cuh\"|" "$here/data/async_tile.cu" >async_tile.cu
count async_tile.cu
expect_status 0 "227 KiB of shared memory"
expect_says "sum of a row: 120"
expect_says "227 KiB"
expect_says "async_tile.cu:14  cp.async                16        64     32                  10.50        416"
expect_says "async_tile.cu:14  global load             16        64     32                     18"
expect_says "async_tile.cu:21  mma "

# ---- --csv ----
count 1 2 --csv "$csv"
expect_status 0 "--csv"
[ "$(grep -c "^$header" "$csv")" -eq 1 ] || wrong "not one header in $csv"
expect_in "$csv" "01_naive,coalesced,f32,64,64,64,kernel.cu,2,global_load_bytes,1280"
expect_in "$csv" "02_tiling,tile64,f32,64,64,64,_Z4gemm,0,flops,1000000"
[ "$(wc -l <"$csv")" -eq 43 ] || wrong "$csv has $(wc -l <"$csv") lines"
count 1 --csv "$csv"
expect_status 0 "--csv over a file of counts"
expect_not_in "$csv" 02_tiling
echo "a thesis" >thesis.csv
refused 2 "--csv would replace thesis.csv, which is no file of counts; give a new name" 1 --csv thesis.csv
[ "$(cat thesis.csv)" = "a thesis" ] || wrong "the thesis was changed"
refused 2 "it is not a plain file" 1 --csv .
refused 2 "--csv: cannot write /proc/nowhere/x.csv" 1 --csv /proc/nowhere/x.csv
refused 2 "it needs the name of a file" 1 --csv new/
count 1 --csv new/place/x.csv
expect_status 0 "--csv into a new directory"
expect_file new/place/x.csv

# ---- Drivers that fail: nothing is written ----
cp "$csv" "$work/before"
# failed STATUS BODY SENTENCE
failed() {
    driver 02_tiling "$2"
    count --csv "$csv"
    expect_status "$1" "$2"
    expect_says "$3"
    expect_silent_on "What binds"
    cmp -s "$csv" "$work/before" || wrong "the file of counts was changed: $2"
}
failed 1 'counts a 64 1; exit 1' "02_tiling failed; what it counted means nothing"
failed 1 'counts a 64 1; kill -SEGV $$' "02_tiling failed; what it counted means nothing"
failed 2 'echo "--kernel pad9: none such" >&2; exit 2' "02_tiling did not accept these options; its words are above"
failed 1 'exit 0' "counts.csv"
failed 1 'echo "a thesis" >"$file"' "this is no file of counts"
failed 1 'printf "%s" "$header" >"$file"' "this is no file of counts"
failed 1 'counts a 64 1; echo "02_tiling,a,f32,64" >>"$file"' ": this is no file of counts"
driver 01_naive 'echo "$header" >"$file"'
failed 1 'echo "$header" >"$file"' "no kernel was launched"

# ---- FILE.cu ----
cat >good.cu <<'CU'
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
template <class T> __global__ void scale(T *data, T factor) {
    data[threadIdx.x] = data[threadIdx.x] * factor;
}
int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    float *data;
    cudaMallocManaged(&data, 64 * sizeof(float));
    printf("%d arguments, last %s\n", argc - 1, argv[argc - 1]);
    if (*way != 'n')
        scale<float><<<2, 64>>>(data, 2.0f);
    cudaDeviceSynchronize();
    if (*way == 'c')
        abort();
    if (*way == 'u')
        _exit(0);
    return *way == 'x' ? 3 : 0;
}
CU
rm "$csv"
count --csv "$csv" good.cu "an argument" --size
expect_status 0 "a program"
expect_says "2 arguments, last --size"
expect_says "scale<float><<<2, 64>>>"
expect_says "good.cu:5"
expect_says "data[threadIdx.x] = data[threadIdx.x] * factor;"
expect_in "$csv" ',"scale<float><<<2, 64>>>",,,,,good.cu,5,global_load_requests,4'
expect_in "$csv" ",0,flops,128"
cp "$csv" "$work/before"
# program STATUS SENTENCE ARGUMENT...
program() {
    expected=$1 sentence=$2
    shift 2
    count --csv "$csv" good.cu "$@"
    expect_status "$expected" "good.cu $*"
    expect_says "$sentence"
    cmp -s "$csv" "$work/before" || wrong "the file of counts was changed: $*"
}
program 1 "no kernel was launched" nothing
program 1 "good.cu ended without counts: it crashed, or left by _exit()" crash
program 1 "good.cu: no kernel was launched, or the program left by _exit()" u
program 1 "good.cu ended with an error" x
expect_says "what follows is what it did until then"
expect_says "scale<float>"
# Names, overloads, launches that repeat, halves in one access, operations in half.
cat >names.cu <<'CU'
#include <cuda_fp16.h>
struct args {
    int n;
};
namespace {
__global__ void hidden(int *p) { p[threadIdx.x] = 1; }
} // namespace
__global__ void first_is_a(args *a, int n) { a[threadIdx.x].n = n; }
__global__ void over(float *p) { p[threadIdx.x] = 1; }
__global__ void over(double *p) { p[threadIdx.x] = 1; }
template <class T> __global__ void deduced(T *p) { p[threadIdx.x] = 1; }
__global__ void pairs(half2 *x) {
    half2 v = x[threadIdx.x];
    v.y = __hadd(v.x, v.y);
    x[threadIdx.x + 32] = v;
}
int main() {
    void *p;
    cudaMalloc(&p, 4096);
    hidden<<<1, 32>>>((int *)p);
    first_is_a<<<1, 32>>>((args *)p, 3);
    for (int i = 0; i < 7; i++)
        over<<<1, 32>>>((float *)p);
    over<<<1, 32>>>((double *)p);
    deduced<<<1, 32>>>((float *)p);
    deduced<<<1, 32>>>((double *)p);
    pairs<<<1, 32>>>((half2 *)p);
}
CU
count --csv "$work/names.csv" names.cu
expect_status 0 names.cu
for name in '(anonymous namespace)::hidden<<<1, 32>>>' 'first_is_a<<<1, 32>>>' 'deduced(float*)<<<1, 32>>>'; do
    expect_in "$work/names.csv" ",\"$name\",,,,,names.cu,"
done
expect_in "$work/names.csv" ',"over(double*)<<<1, 32>>>",,,,,names.cu,10,global_store_sectors,8'
expect_in "$work/names.csv" ',"over(float*)<<<1, 32>>>",,,,,names.cu,9,global_store_sectors,28'
grep -q 'over(float\*)<<<1, 32>>> (7x) .* 1 *4 *100 %' "$work/out" || wrong "seven launches are not shown as one"
expect_in "$work/names.csv" 'names.cu,13,global_load_requests,1'
expect_in "$work/names.csv" 'names.cu,15,global_store_requests,1'
expect_says "pairs<<<1, 32>>>: also 32 operations in half"

# A kernel that fails, in a program that does not look.
cat >fails.cu <<'CU'
__global__ void stuck(int *p) {
    p[threadIdx.x] = 1;
    if (threadIdx.x < 16)
        __syncwarp(0xffffffff);
    else
        __syncthreads();
}
int main() {
    int *p;
    cudaMalloc(&p, 4096);
    stuck<<<1, 32>>>(p);
}
CU
count --csv "$work/fails.csv" fails.cu
expect_status 1 fails.cu
expect_says "stuck<<<1, 32>>>: FAILED"
expect_says "a kernel failed"
[ ! -e "$work/fails.csv" ] || wrong "counts of a kernel that failed were kept"

# ---- --sanitize ----
findings_header=stage,kernel,dtype,m,n,k,kind,file,line,other_file,other_line,count,text
count --csv "$csv" --sanitize good.cu
expect_status 0 "--sanitize on a program without mistakes"
expect_says "scale<float><<<2, 64>>>"
cat >race.cu <<'CU'
__global__ void reverse(int *p) {
    __shared__ int s[64];
    s[threadIdx.x] = p[threadIdx.x];
    p[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
    int *p;
    cudaMalloc(&p, 64 * sizeof(int));
    cudaMemset(p, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(p);
    return cudaDeviceSynchronize();
}
CU
count --csv "$work/race.csv" --sanitize race.cu
expect_status 1 "--sanitize on a race"
expect_says "race in kernel reverse, race.cu:3 and race.cu:4 (64 times; the first:)"
expect_says "reverse<<<1, 64>>>"
expect_says "the checks found mistakes: see above"
[ ! -e "$work/race.csv" ] || wrong "counts of a kernel with a race were kept"
count race.cu
expect_status 0 "a race without --sanitize"
count --sanitize "$repository/tests/bugs/misaligned_float4_shared.cu"
expect_status 1 "--sanitize on a misaligned access"
expect_says "Check the index, and that each row" # padded, permuted by XOR, or neither
driver 01_naive 'counts a 64 1'
driver 02_tiling 'counts a 64 1'
driver 03_two_cubes 'counts a 64 1'
: >"$work/calls"
count 1 --sanitize
expect_status 0 "--sanitize on a stage"
expect_in "$work/calls" findings
: >"$work/calls"
count 1
expect_not_in "$work/calls" findings
sed -i 's/\[ "\$1" = --counts \] && file=\$2/&\n    [ "$1" = --findings ] \&\& findings=$2/' "$bin/01_naive"
echo "{ echo $findings_header; echo 01_naive,a,f32,64,64,64,race,kernel.cu,1,kernel.cu,2,1,words; } >\"\$findings\"; exit 1" >>"$bin/01_naive"
count 1 --sanitize
expect_status 1 "a stage with a finding"
expect_says "the checks found mistakes: see above"
count 1
expect_status 1 "a stage that fails without --sanitize"
expect_says "01_naive failed; what it counted means nothing"

echo 'int main() { return undeclared; }' >wrong.cu
count --csv "$csv" wrong.cu
expect_status 1 "a program that does not compile"
expect_says "does not compile: wrong.cu:1"
refused 2 "missing.cu: there is no such file" missing.cu
for option in --size=64 --dtype=f32 --as=64 --kernel=a; do
    refused 2 "a file has no stages, sizes or types" "$option" good.cu
done
refused 2 "a file has no stages, sizes or types" 1 good.cu
refused 2 "" --no-such-option
refused 2 "" --nvcc

# ---- CPU_DEVICE_COUNTS without ladder-tool ----
built=$(find "$work/tree/count" -type f -name good)
CPU_DEVICE_COUNTS=mine.csv run "$built"
expect_status 0 "CPU_DEVICE_COUNTS"
expect_in mine.csv ',"scale<float><<<2, 64>>>",,,,,good.cu,5,global_store_requests,4'
CPU_DEVICE_COUNTS=/proc/nowhere/x.csv run "$built"
expect_status 0 "CPU_DEVICE_COUNTS that cannot be written"
expect_says "CPU device: CPU_DEVICE_COUNTS: cannot write /proc/nowhere/x.csv."
CPU_DEVICE_COUNTS='' run "$built"
expect_status 0 "CPU_DEVICE_COUNTS empty"

# ---- CPU_DEVICE_FINDINGS without ladder-tool ----
built=$(find "$work/tree/checked" -type f -name race)
CPU_DEVICE_FINDINGS=mine.csv run "$built"
expect_status 0 "CPU_DEVICE_FINDINGS"
[ "$(head -1 mine.csv)" = "$findings_header" ] || wrong "another first line in a file of findings"
expect_in mine.csv ",reverse,,,,,race,race.cu,3,race.cu,4,64,"
cat >long.cu <<'CU'
__global__ void sum(int *p) {
    __shared__ volatile int s[64];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 70000; i++)
        sum += s[i % 64];
    p[threadIdx.x] = sum;
}
int main() {
    int *p;
    cudaMalloc(&p, 64 * sizeof(int));
    cudaMemset(p, 0, 64 * sizeof(int));
    sum<<<1, 64>>>(p);
    return cudaDeviceSynchronize();
}
CU
count --sanitize long.cu
expect_status 0 "a long way between two barriers"
expect_says "kernel sum: a thread accesses shared memory more than 65536 times between two barriers"
CPU_DEVICE_ORDER=sideways run "$built"
expect_says "CPU_DEVICE_ORDER=sideways is neither ascending nor reverse; using ascending"
CPU_DEVICE_FINDINGS=/proc/nowhere/x.csv run "$built"
expect_status 0 "CPU_DEVICE_FINDINGS that cannot be written"
expect_says "CPU device: CPU_DEVICE_FINDINGS: cannot write /proc/nowhere/x.csv."
finish

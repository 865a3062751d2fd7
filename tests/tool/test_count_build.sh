# What makes a program be built again, and what is said of one that cannot be built.
# usage: sh test_count_build.sh BUILD_ONE REPOSITORY BIN
. "$(dirname "$0")/helpers.sh"

# A build directory of our own beside the real one's library: its flags can be changed, and nothing is left behind.
mkdir -p "$work/a tree/bin" "$work/a tree/count" "$work/my files/parts"
cp "$3/../count/toolchain" "$work/a tree/count/toolchain"
library=$(sed -n 's/^library //p' "$3/../count/toolchain")
cp "$library" "$work/a tree/library.a"
sed "s|^library .*|library $work/a tree/library.a|" "$3/../count/toolchain" >"$work/a tree/count/toolchain"
cd "$work/my files" || exit 1

build() { run "$tool" "$repository" "$work/a tree/bin" "$@"; }
# The program of the last build, its inode and time: equal when it was not built again.
identity() { ls -li --time-style=full-iso "$1"; }
expect_rebuilt() { # WHY
    build "my kernel.cu"
    expect_status 0 "$1"
    now=$(identity "$program")
    [ "$now" != "$before" ] || wrong "not built again: $1"
    before=$now
}
expect_kept() { # WHY
    build "my kernel.cu"
    now=$(identity "$program")
    [ "$now" = "$before" ] || wrong "built again: $1"
}
# refused FILE TEXT...: cannot be built, without a word of the compiler, in one line with each TEXT.
refused() {
    file=$1
    shift
    build "$file"
    expect_status 1 "$file"
    for text in "$@"; do expect_says "$text"; done
    [ "$(wc -l <"$work/out")" -eq 1 ] || wrong "$file: more than one line"
}
# refused_code TEXT...: the same for the kernel on standard input, with a main().
refused_code() {
    {
        cat
        echo 'int main() { return 0; }'
    } >probe.cu
    refused probe.cu "$@"
}
accepted_code() {
    {
        cat
        echo 'int main() { return 0; }'
    } >probe.cu
    build probe.cu
    expect_status 0 "$1"
}

# ---- Building once, and again when something has changed ----
cat >"my kernel.cu" <<'CU'
#include "parts/kernel.cuh"
#include <cstdio>
int main(int argc, char **argv) {
    int *out;
    cudaMallocManaged(&out, sizeof(int));
    start(out);
    cudaDeviceSynchronize();
    printf("%d %d %s\n", *out, argc, argc > 1 ? argv[1] : "");
}
CU
# A header with a launch and dynamic shared memory is converted too, and finds what lies next to it.
cat >parts/kernel.cuh <<'CU'
#pragma once
#include "../value.h"
#include "../my kernel parts/none.h"
__global__ void kernel(int *out) {
    extern __shared__ int cells[];
    cells[threadIdx.x] = VALUE;
    *out = cells[threadIdx.x];
}
inline void start(int *out) { kernel<<<1, 1, 4>>>(out); }
CU
mkdir "my kernel parts"
echo '#include "../parts/kernel.cuh"' >"my kernel parts/none.h"
echo '#define VALUE 1' >value.h
build "my kernel.cu"
expect_status 0 "the first build"
program=$(cat "$work/out")
case $program in
"$work/a tree/count/my kernel-"*"/my kernel") ;;
*) wrong "the program lies elsewhere: $program" ;;
esac
run "$program" "an argument"
expect_says "1 2 an argument"
before=$(identity "$program")
expect_kept "nothing has changed"
sleep 0.05
echo '#define VALUE 22' >value.h
expect_rebuilt "a header of a header has changed"
run "$program"
expect_says "22 1"
expect_kept "the header has not changed again"
touch "my kernel.cu"
expect_rebuilt "the source was touched"
echo 'compile -DEXTRA' >>"$work/a tree/count/toolchain"
expect_rebuilt "a flag has changed"
touch "$work/a tree/library.a"
expect_rebuilt "the library was touched"
mkdir "$work/found elsewhere"
echo '#define ELSEWHERE 1' >"$work/found elsewhere/elsewhere.h"
echo "compile -I$work/found elsewhere" >>"$work/a tree/count/toolchain"
echo '#include <elsewhere.h>' >>value.h
expect_rebuilt "a header that the compiler finds elsewhere"
expect_kept "that header is as it was"
touch "$work/found elsewhere/elsewhere.h"
expect_rebuilt "that header was touched"
rm value.h
build "my kernel.cu"
expect_status 1 "a header is gone"
expect_says "value.h"
expect_no_file "$program"
echo '#define VALUE 3' >value.h
build "$work/my files/my kernel.cu"
expect_status 0 "the header is back; the file by its whole path"
[ "$(cat "$work/out")" = "$program" ] || wrong "another place for the same file"

# ---- The command line ----
build missing.cu
expect_status 2 "no such file"
expect_says "missing.cu: there is no such file"
build parts
expect_status 2 "a directory"
expect_says "parts is a directory"
build parts/kernel.cuh
expect_status 2 "not a .cu"
expect_says "parts/kernel.cuh is not a .cu file"
echo '__global__ void k() {}' >kernel_only.cu
refused kernel_only.cu "kernel_only.cu: there is no main() in it"
run "$tool" "$repository" "$work/no tree/bin" kernel_only.cu
expect_status 1 "no build directory"

# ---- The compiler's word ----
printf 'int unused_thing;\nstatic int f(int a) { int b; }\nint main() {\n    return undeclared;\n}\n' >wrong.cu
build wrong.cu
expect_status 1 "an error"
expect_says "does not compile: wrong.cu:4: "
expect_says "warning"
printf 'int main() {\n    int never_used;\n}\n' >warns.cu
build warns.cu
expect_status 0 "a warning"
[ "$(wc -l <"$work/out")" -eq 1 ] || wrong "a warning is shown"
printf 'void elsewhere();\nint main() { elsewhere(); }\n' >unlinked.cu
build unlinked.cu
expect_status 1 "a missing function"
expect_says "cannot be linked: undefined reference to"
printf 'int main() {\n  kernel<<<1, 1>>>;\n}\n' >launch.cu
refused launch.cu "launch.cu:2: The launch has no argument list"
printf '#include "no_such.h"\nint main() {}\n' >include.cu
build include.cu
expect_says "does not compile: include.cu:1: "

# ---- What is not supported: one sentence with its line, before the compiler ----
refused_code "probe.cu:2: inline PTX (asm) is not supported on the CPU device: " "; write it in CUDA C" <<'CU'
// asm("in a comment"); const char *s = "asm(x)";
__device__ void f(int *p) { asm volatile("ld.global.s32 %0, [%1];" : "=r"(*p) : "l"(p)); }
CU
refused_code "probe.cu:3: a launch inside a kernel (dynamic parallelism) is not supported" <<'CU'
__global__ void child() {}
__global__ void parent() {
    if (threadIdx.x == 0) { child<<<1, 1>>>(); }
}
CU
refused_code "probe.cu:1: texture memory (texture)" <<'CU'
texture<float, 1, cudaReadModeElementType> values;
CU
refused_code "probe.cu:1: texture memory (cudaTextureObject_t)" <<'CU'
__device__ float f(cudaTextureObject_t t) { return tex2D<float>(t, 0, 0); }
CU
refused_code "probe.cu:2: a barrier over the whole grid" "launch a second" <<'CU'
#include <cooperative_groups.h>
__global__ void k() { cooperative_groups::this_grid().sync(); }
CU
refused_code "probe.cu:1: a barrier over the whole grid" <<'CU'
void f(void *k) { cudaLaunchCooperativeKernel(k, 1, 1, 0); }
CU
refused_code "probe.cu:1: a CUDA graph" <<'CU'
cudaGraph_t graph;
CU
refused_code "probe.cu:1: memory shared between processes" <<'CU'
cudaIpcMemHandle_t handle;
CU
refused_code "probe.cu:2: the driver API" <<'CU'
#include <cuda.h>
void f() { cuInit(0); }
CU
refused_code "probe.cu:1: a warp function without a mask (__shfl_down)" "_sync" <<'CU'
__device__ int f(int v) { return v + __shfl_down(v, 16); }
CU
for header in cublas_v2.h curand.h curand_kernel.h thrust/device_vector.h cub/cub.cuh cufft.h nccl.h \
    cuda/barrier nvToolsExt.h helper_cuda.h; do
    refused_code "probe.cu:2: " "($header) is not supported on the CPU device: " <<CU

#include <$header>
CU
done
refused_code "probe.cu:2: a header of NVIDIA's samples" <<'CU'
#include <cuda_runtime.h>
#include "helper_cuda.h"
CU
echo '#define OWN 1' >helper_cuda.h
accepted_code "a header that lies next to the file" <<'CU'
#include "helper_cuda.h"
int own = OWN;
CU
echo 'inline void f() { asm("nop"); }' >parts/ptx.h
refused_code "parts/ptx.h:1: inline PTX (asm)" <<'CU'
#include "parts/ptx.h"
CU
accepted_code "text and dead code that name such things" <<'CU'
// cublas, asm(""), texture<float>, child<<<1, 1>>>()
#if 0
#include <cublas_v2.h>
__device__ void f() { asm("nop;"); }
#elif 1
#else
#include <curand.h>
#endif
#ifdef __CUDA_ARCH__
#if 1
__device__ void g() { asm("nop;"); }
#endif
#else
__device__ void g() {}
#endif
#if __CUDA_ARCH__ >= 800
__device__ void h() { asm("nop;"); }
#endif
struct record { int asm_, texture; };
const char *text = "asm(\"x\"); cudaGraph_t";
int texture_count(const record &r) { return r.texture < 3; }
CU
finish

/* 02_tiling: hands this stage's kernels to the harness. */
#include "gemm.h"

cudaError_t tiling_32(const gemm_problem *, cudaStream_t);
cudaError_t tiling_64(const gemm_problem *, cudaStream_t);
cudaError_t tiling_128(const gemm_problem *, cudaStream_t);
gemm_footprint tiling_32_footprint(gemm_dtype);
gemm_footprint tiling_64_footprint(gemm_dtype);
gemm_footprint tiling_128_footprint(gemm_dtype);

static const char *unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 32 ? NULL : "M is larger than 2097120: gridDim.y, at most 65535, counts the tiles down C";
}

enum { FLOATS = GEMM_HAS(GEMM_F32) | GEMM_HAS(GEMM_F16) };

static const gemm_kernel kernels[] = {
    {"tile64", "64x64 of C a block, 1024 threads, as in the article", FLOATS, GEMM_UNIT_FP32, tiling_64,
     tiling_64_footprint, unsupported},
    {"tile32", "32x32 of C a block, one element a thread: the pure idea", FLOATS, GEMM_UNIT_FP32, tiling_32,
     tiling_32_footprint, unsupported},
    {"tile128", "128x128 of C a block, sixteen elements a thread", FLOATS, GEMM_UNIT_FP32, tiling_128,
     tiling_128_footprint, unsupported},
};

int main(int argc, char **argv) {
    static const gemm_stage stage = {"02_tiling", "shared memory: every fetched number is used by a whole block",
                                     kernels, sizeof kernels / sizeof *kernels};
    return gemm_main(argc, argv, &stage);
}

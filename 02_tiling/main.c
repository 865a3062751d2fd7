/* 02_tiling: hands this stage's kernels to the harness. */
#include "gemm.h"

cudaError_t tiling_32(const gemm_problem *, cudaStream_t);
cudaError_t tiling_64(const gemm_problem *, cudaStream_t);
cudaError_t tiling_128(const gemm_problem *, cudaStream_t);
gemm_footprint tiling_32_footprint(gemm_dtype);
gemm_footprint tiling_64_footprint(gemm_dtype);
gemm_footprint tiling_128_footprint(gemm_dtype);

/* gridDim.y, at most 65535, counts the tiles down C. */
static const char *tile32_unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 32 ? NULL : "M is larger than 2097120: gridDim.y, at most 65535, counts tiles of 32 rows";
}
static const char *tile64_unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 64 ? NULL : "M is larger than 4194240: gridDim.y, at most 65535, counts tiles of 64 rows";
}
static const char *tile128_unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 128 ? NULL : "M is larger than 8388480: gridDim.y, at most 65535, counts tiles of 128 rows";
}

enum { FLOATS = GEMM_HAS(GEMM_F32) | GEMM_HAS(GEMM_F16) };

static const gemm_kernel kernels[] = {
    {"tile64", "64x64 of C a block, 1024 threads, as in the article", FLOATS, GEMM_UNIT_FP32, tiling_64,
     tiling_64_footprint, tile64_unsupported},
    {"tile32", "32x32 of C a block, one element a thread: the pure idea", FLOATS, GEMM_UNIT_FP32, tiling_32,
     tiling_32_footprint, tile32_unsupported},
    {"tile128", "128x128 of C a block, sixteen elements a thread", FLOATS, GEMM_UNIT_FP32, tiling_128,
     tiling_128_footprint, tile128_unsupported},
};

int main(int argc, char **argv) {
    static const gemm_stage stage = {"02_tiling", "shared memory: every fetched number is used by a whole block",
                                     kernels, sizeof kernels / sizeof *kernels};
    return gemm_main(argc, argv, &stage);
}

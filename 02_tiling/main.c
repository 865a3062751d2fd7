/* 02_tiling: hands this stage's kernels to the harness. */
#include "gemm.h"

cudaError_t tiling_32(const gemm_problem *, cudaStream_t);
cudaError_t tiling_64(const gemm_problem *, cudaStream_t);
cudaError_t tiling_128(const gemm_problem *, cudaStream_t);
gemm_footprint tiling_32_footprint(const gemm_problem *);
gemm_footprint tiling_64_footprint(const gemm_problem *);
gemm_footprint tiling_128_footprint(const gemm_problem *);

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
    {.name = "tile64",
     .adds = "64x64 of C a block, 1024 threads, as in the article",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_FP32,
     .launch = tiling_64,
     .footprint = tiling_64_footprint,
     .unsupported = tile64_unsupported},
    {.name = "tile32",
     .adds = "32x32 of C a block, one element a thread: the pure idea",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_FP32,
     .launch = tiling_32,
     .footprint = tiling_32_footprint,
     .unsupported = tile32_unsupported},
    {.name = "tile128",
     .adds = "128x128 of C a block, sixteen elements a thread",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_FP32,
     .launch = tiling_128,
     .footprint = tiling_128_footprint,
     .unsupported = tile128_unsupported},
};

int main(int argc, char **argv) {
    static const gemm_stage stage = {"02_tiling", "shared memory: every fetched number is used by a whole block",
                                     kernels, sizeof kernels / sizeof *kernels};
    return gemm_main(argc, argv, &stage);
}

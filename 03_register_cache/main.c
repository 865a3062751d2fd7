/* 03_register_cache: hands this stage's kernels to the harness. */
#include "gemm.h"

cudaError_t register_cache_8x8(const gemm_problem *, cudaStream_t);
cudaError_t register_cache_4x4(const gemm_problem *, cudaStream_t);
cudaError_t register_cache_16x16(const gemm_problem *, cudaStream_t);
gemm_footprint register_cache_8x8_footprint(const gemm_problem *);
gemm_footprint register_cache_4x4_footprint(const gemm_problem *);
gemm_footprint register_cache_16x16_footprint(const gemm_problem *);

/* gridDim.y, at most 65535, counts the tiles down C. */
static const char *tile128_unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 128 ? NULL : "M is larger than 8388480: gridDim.y, at most 65535, counts tiles of 128 rows";
}
static const char *tile64_unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 64 ? NULL : "M is larger than 4194240: gridDim.y, at most 65535, counts tiles of 64 rows";
}
static const char *tile256_unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 256 ? NULL : "M is larger than 16776960: gridDim.y, at most 65535, counts tiles of 256 rows";
}

enum { FLOATS = GEMM_HAS(GEMM_F32) | GEMM_HAS(GEMM_F16) };

static const gemm_kernel kernels[] = {
    {.name = "8x8",
     .adds = "64 elements a thread, two blocks a multiprocessor",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_FP32,
     .launch = register_cache_8x8,
     .footprint = register_cache_8x8_footprint,
     .unsupported = tile128_unsupported},
    {.name = "4x4",
     .adds = "sixteen elements a thread, as in the article",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_FP32,
     .launch = register_cache_4x4,
     .footprint = register_cache_4x4_footprint,
     .unsupported = tile64_unsupported},
    {.name = "16x16",
     .adds = "too many: 256 elements a thread spill out of the registers",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_FP32,
     .launch = register_cache_16x16,
     .footprint = register_cache_16x16_footprint,
     .unsupported = tile256_unsupported},
};

int main(int argc, char **argv) {
    static const gemm_stage stage = {"03_register_cache",
                                     "registers: a thread multiplies each of its As with each of its Bs", kernels,
                                     sizeof kernels / sizeof *kernels};
    return gemm_main(argc, argv, &stage);
}

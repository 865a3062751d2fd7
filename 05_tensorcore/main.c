/* 05_tensorcore: hands this stage's kernels to the harness. */
#include "gemm.h"

cudaError_t tensorcore_mma(const gemm_problem *, cudaStream_t);
cudaError_t tensorcore_pad0(const gemm_problem *, cudaStream_t);
cudaError_t tensorcore_wmma(const gemm_problem *, cudaStream_t);
cudaError_t tensorcore_wmma_half(const gemm_problem *, cudaStream_t);
cudaError_t tensorcore_simt(const gemm_problem *, cudaStream_t);
cudaError_t tensorcore_tf32(const gemm_problem *, cudaStream_t);
gemm_footprint tensorcore_mma_footprint(const gemm_problem *);
gemm_footprint tensorcore_pad0_footprint(const gemm_problem *);
gemm_footprint tensorcore_wmma_footprint(const gemm_problem *);
gemm_footprint tensorcore_wmma_half_footprint(const gemm_problem *);
gemm_footprint tensorcore_simt_footprint(const gemm_problem *);
gemm_footprint tensorcore_tf32_footprint(const gemm_problem *);

/* gridDim.y, at most 65535, counts the tiles down C; of kernels with several, the lowest. */
static const char *tile64_unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 64 ? NULL : "M is larger than 4194240: gridDim.y, at most 65535, counts tiles of 64 rows";
}
static const char *tile128_unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 128 ? NULL : "M is larger than 8388480: gridDim.y, at most 65535, counts tiles of 128 rows";
}

enum { HALVES = GEMM_HAS(GEMM_F16) | GEMM_HAS(GEMM_BF16) };

/* Rows x columns of C for a block, depth of a step; fastest first, in the order of kernel.cu. */
static const char *const tiles[] = {"128x128x64", "64x64x64", NULL};

static const gemm_kernel kernels[] = {
    {.name = "mma",
     .adds = "mma.sync and ldmatrix: a warp multiplies pieces of 16x16 by 16x8",
     .dtypes = HALVES,
     .unit = GEMM_UNIT_FP16_TENSOR,
     .launch = tensorcore_mma,
     .footprint = tensorcore_mma_footprint,
     .unsupported = tile64_unsupported,
     .configs = tiles},
    {.name = "pad0",
     .adds = "rows not widened: the eight rows of a piece meet in the same banks",
     .dtypes = HALVES,
     .unit = GEMM_UNIT_FP16_TENSOR,
     .launch = tensorcore_pad0,
     .footprint = tensorcore_pad0_footprint,
     .unsupported = tile64_unsupported,
     .configs = tiles},
    {
        .name = "wmma",
        .adds = "WMMA: CUDA hides which lane holds what",
        .dtypes = HALVES,
        .unit = GEMM_UNIT_FP16_TENSOR,
        .launch = tensorcore_wmma,
        .footprint = tensorcore_wmma_footprint,
        .unsupported = tile128_unsupported,
    },
    {.name = "wmma_half",
     .adds = "WMMA with sums in half: compute low, accumulate low",
     .dtypes = GEMM_HAS(GEMM_F16),
     .unit = GEMM_UNIT_FP16_TENSOR,
     .launch = tensorcore_wmma_half,
     .footprint = tensorcore_wmma_half_footprint,
     .unsupported = tile128_unsupported,
     .sums = GEMM_F16},
    {
        .name = "simt",
        .adds = "FP32 cores, with the tiles of wmma",
        .dtypes = HALVES,
        .unit = GEMM_UNIT_FP32,
        .launch = tensorcore_simt,
        .footprint = tensorcore_simt_footprint,
        .unsupported = tile128_unsupported,
    },
    {
        .name = "tf32",
        .adds = "mma.sync on floats, of which it reads 19 bits",
        .dtypes = GEMM_HAS(GEMM_TF32),
        .unit = GEMM_UNIT_TF32_TENSOR,
        .launch = tensorcore_tf32,
        .footprint = tensorcore_tf32_footprint,
        .unsupported = tile128_unsupported,
    },
};

int main(int argc, char **argv) {
    static const gemm_stage stage = {"05_tensorcore", "tensor cores: the warp multiplies, not the thread", kernels,
                                     sizeof kernels / sizeof *kernels};
    return gemm_main(argc, argv, &stage);
}

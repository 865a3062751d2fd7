/* 06_double_buffer: hands this stage's kernels to the harness. */
#include "gemm.h"

cudaError_t double_buffer_stages3(const gemm_problem *, cudaStream_t);
cudaError_t double_buffer_stages2(const gemm_problem *, cudaStream_t);
cudaError_t double_buffer_stages4(const gemm_problem *, cudaStream_t);
cudaError_t double_buffer_one_step(const gemm_problem *, cudaStream_t);
cudaError_t double_buffer_registers(const gemm_problem *, cudaStream_t);
cudaError_t double_buffer_simt(const gemm_problem *, cudaStream_t);
gemm_footprint double_buffer_stages3_footprint(const gemm_problem *);
gemm_footprint double_buffer_stages2_footprint(const gemm_problem *);
gemm_footprint double_buffer_stages4_footprint(const gemm_problem *);
gemm_footprint double_buffer_one_step_footprint(const gemm_problem *);
gemm_footprint double_buffer_registers_footprint(const gemm_problem *);
gemm_footprint double_buffer_simt_footprint(const gemm_problem *);

/* gridDim.y, at most 65535, counts the tiles down C; of kernels with several, the lowest. */
static const char *tile64_unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 64 ? NULL : "M is larger than 4194240: gridDim.y, at most 65535, counts tiles of 64 rows";
}
static const char *tile128_unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 128 ? NULL : "M is larger than 8388480: gridDim.y, at most 65535, counts tiles of 128 rows";
}

enum { HALVES = GEMM_HAS(GEMM_F16) | GEMM_HAS(GEMM_BF16) };

/* Rows x columns of C for a block, depth of a step; fastest first, in the order of kernel.cu. */
static const char *const tiles[] = {"128x256x64", "128x128x64", "64x64x64", NULL};

static const gemm_kernel kernels[] = {
    {.name = "stages3",
     .adds = "cp.async, two pieces under way while one is multiplied; fragments double-buffered",
     .dtypes = HALVES,
     .unit = GEMM_UNIT_FP16_TENSOR,
     .launch = double_buffer_stages3,
     .footprint = double_buffer_stages3_footprint,
     .unsupported = tile64_unsupported,
     .configs = tiles},
    {.name = "stages2",
     .adds = "one piece under way",
     .dtypes = HALVES,
     .unit = GEMM_UNIT_FP16_TENSOR,
     .launch = double_buffer_stages2,
     .footprint = double_buffer_stages2_footprint,
     .unsupported = tile64_unsupported,
     .configs = tiles},
    {.name = "stages4",
     .adds = "three pieces under way",
     .dtypes = HALVES,
     .unit = GEMM_UNIT_FP16_TENSOR,
     .launch = double_buffer_stages4,
     .footprint = double_buffer_stages4_footprint,
     .unsupported = tile64_unsupported,
     .configs = tiles},
    {.name = "one_step",
     .adds = "fragments with one buffer: fetch, wait, multiply",
     .dtypes = HALVES,
     .unit = GEMM_UNIT_FP16_TENSOR,
     .launch = double_buffer_one_step,
     .footprint = double_buffer_one_step_footprint,
     .unsupported = tile64_unsupported,
     .configs = tiles},
    {
        .name = "registers",
        .adds = "no cp.async: the next piece waits in registers",
        .dtypes = HALVES,
        .unit = GEMM_UNIT_FP16_TENSOR,
        .launch = double_buffer_registers,
        .footprint = double_buffer_registers_footprint,
        .unsupported = tile128_unsupported,
    },
    {
        .name = "simt",
        .adds = "FP32 cores, as in the article: two shared buffers, the next piece in registers",
        .dtypes = GEMM_HAS(GEMM_F32),
        .unit = GEMM_UNIT_FP32,
        .launch = double_buffer_simt,
        .footprint = double_buffer_simt_footprint,
        .unsupported = tile128_unsupported,
    },
};

int main(int argc, char **argv) {
    static const gemm_stage stage = {"06_double_buffer",
                                     "double buffering: the next pieces come while one is multiplied", kernels,
                                     sizeof kernels / sizeof *kernels};
    return gemm_main(argc, argv, &stage);
}

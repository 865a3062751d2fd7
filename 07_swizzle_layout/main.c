/* 07_swizzle_layout: hands this stage's kernels to the harness. */
#include "gemm.h"

cudaError_t swizzle_layout_swizzle(const gemm_problem *, cudaStream_t);
cudaError_t swizzle_layout_row_by_row(const gemm_problem *, cudaStream_t);
cudaError_t swizzle_layout_unswizzled(const gemm_problem *, cudaStream_t);
cudaError_t swizzle_layout_wrong_swizzle(const gemm_problem *, cudaStream_t);
gemm_footprint swizzle_layout_swizzle_footprint(const gemm_problem *);
gemm_footprint swizzle_layout_row_by_row_footprint(const gemm_problem *);
gemm_footprint swizzle_layout_unswizzled_footprint(const gemm_problem *);
gemm_footprint swizzle_layout_wrong_swizzle_footprint(const gemm_problem *);

enum { HALVES = GEMM_HAS(GEMM_F16) | GEMM_HAS(GEMM_BF16) };

/* Rows x columns of C for a block, depth of a step; fastest first, in the order of kernel.cu. */
static const char *const tiles[] = {"128x256x64", "128x128x64", "64x64x64", NULL};

static const gemm_kernel kernels[] = {
    {.name = "swizzle",
     .adds = "chunks change places by XOR, blocks in strips of 16 rows of tiles",
     .dtypes = HALVES,
     .unit = GEMM_UNIT_FP16_TENSOR,
     .launch = swizzle_layout_swizzle,
     .footprint = swizzle_layout_swizzle_footprint,
     .configs = tiles},
    {.name = "row_by_row",
     .adds = "blocks in the order of 06",
     .dtypes = HALVES,
     .unit = GEMM_UNIT_FP16_TENSOR,
     .launch = swizzle_layout_row_by_row,
     .footprint = swizzle_layout_row_by_row_footprint,
     .configs = tiles},
    {.name = "unswizzled",
     .adds = "chunks where they were: the eight rows of a piece meet in the same banks",
     .dtypes = HALVES,
     .unit = GEMM_UNIT_FP16_TENSOR,
     .launch = swizzle_layout_unswizzled,
     .footprint = swizzle_layout_unswizzled_footprint,
     .configs = tiles},
    {.name = "wrong_swizzle",
     .adds = "XOR with the wrong bits of the row: right results, and the eight rows still meet",
     .dtypes = HALVES,
     .unit = GEMM_UNIT_FP16_TENSOR,
     .launch = swizzle_layout_wrong_swizzle,
     .footprint = swizzle_layout_wrong_swizzle_footprint,
     .configs = tiles},
};

int main(int argc, char **argv) {
    static const gemm_stage stage = {
        "07_swizzle_layout",
        "swizzled layout: no bank conflicts without padding, and blocks that share data run together", kernels,
        sizeof kernels / sizeof *kernels};
    return gemm_main(argc, argv, &stage);
}

/* 04_bank_padding: hands this stage's kernels to the harness. */
#include "gemm.h"

cudaError_t bank_padding_pad4(const gemm_problem *, cudaStream_t);
cudaError_t bank_padding_pad0(const gemm_problem *, cudaStream_t);
cudaError_t bank_padding_unpaired(const gemm_problem *, cudaStream_t);
gemm_footprint bank_padding_pad4_footprint(const gemm_problem *);
gemm_footprint bank_padding_pad0_footprint(const gemm_problem *);
gemm_footprint bank_padding_unpaired_footprint(const gemm_problem *);

/* gridDim.y, at most 65535, counts the tiles down C. */
static const char *unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 64 ? NULL : "M is larger than 4194240: gridDim.y, at most 65535, counts tiles of 64 rows";
}

enum { FLOATS = GEMM_HAS(GEMM_F32) | GEMM_HAS(GEMM_F16) };

static const gemm_kernel kernels[] = {
    {.name = "pad4",
     .adds = "no bank conflicts: padded rows, paired lanes, loads of four elements",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_FP32,
     .launch = bank_padding_pad4,
     .footprint = bank_padding_pad4_footprint,
     .unsupported = unsupported},
    {.name = "pad0",
     .adds = "without the padding: two lanes store to one bank",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_FP32,
     .launch = bank_padding_pad0,
     .footprint = bank_padding_pad0_footprint,
     .unsupported = unsupported},
    {.name = "unpaired",
     .adds = "lanes counted row by row: a load takes four wavefronts, not two",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_FP32,
     .launch = bank_padding_unpaired,
     .footprint = bank_padding_unpaired_footprint,
     .unsupported = unsupported},
};

int main(int argc, char **argv) {
    static const gemm_stage stage = {"04_bank_padding", "shared memory: a layout in which no lane waits for another",
                                     kernels, sizeof kernels / sizeof *kernels};
    return gemm_main(argc, argv, &stage);
}

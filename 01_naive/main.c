/* 01_naive: hands this stage's kernels to the harness. */
#include "gemm.h"

cudaError_t naive_cpu_loop(const gemm_problem *, cudaStream_t);
cudaError_t naive_uncoalesced(const gemm_problem *, cudaStream_t);
cudaError_t naive_coalesced(const gemm_problem *, cudaStream_t);
gemm_footprint naive_uncoalesced_footprint(const gemm_problem *);
gemm_footprint naive_coalesced_footprint(const gemm_problem *);

/* One thread does one or two 1e8 multiply-adds a second at this size: six to ten seconds. */
static const char *cpu_loop_unsupported(const gemm_problem *p) {
    return (double)p->M * (double)p->N * (double)p->K <= 0x1p30
               ? NULL
               : "one CPU thread would take too long: M*N*K may be 2^30 (1024 cubed) at most";
}

static const char *uncoalesced_unsupported(const gemm_problem *p) {
    return p->N <= 65535 * 32 ? NULL
                              : "N is larger than 2097120: this mapping puts columns in gridDim.y, at most 65535";
}

static const char *coalesced_unsupported(const gemm_problem *p) {
    return p->M <= 65535 * 32 ? NULL : "M is larger than 2097120: this mapping puts rows in gridDim.y, at most 65535";
}

enum { FLOATS = GEMM_HAS(GEMM_F32) | GEMM_HAS(GEMM_F16) };

static const gemm_kernel kernels[] = {
    {.name = "cpu_loop",
     .adds = "three loops on one CPU thread",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_HOST,
     .launch = naive_cpu_loop,
     .unsupported = cpu_loop_unsupported},
    {.name = "uncoalesced",
     .adds = "one thread an element, a warp down a column",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_FP32,
     .launch = naive_uncoalesced,
     .footprint = naive_uncoalesced_footprint,
     .unsupported = uncoalesced_unsupported},
    {.name = "coalesced",
     .adds = "one thread an element, a warp along a row: the ladder's 1.0",
     .dtypes = FLOATS,
     .unit = GEMM_UNIT_FP32,
     .launch = naive_coalesced,
     .footprint = naive_coalesced_footprint,
     .unsupported = coalesced_unsupported},
};

int main(int argc, char **argv) {
    static const gemm_stage stage = {"01_naive", "the three loops, and which thread computes which element", kernels,
                                     sizeof kernels / sizeof *kernels};
    return gemm_main(argc, argv, &stage);
}

/* A stage of planted bugs that the checks of the CPU device must find, and where. */
#include "gemm.h"

#define PLANTED_KERNELS(X)                                                                                             \
    X(a_written)                                                                                                       \
    X(nothing)                                                                                                         \
    X(nothing_alpha_0)                                                                                                 \
    X(nothing_beta)                                                                                                    \
    X(nothing_sum_in_c)                                                                                                \
    X(a_guarded_by_n)                                                                                                  \
    X(a_column_past)                                                                                                   \
    X(a_column_before)                                                                                                 \
    X(a_stride_k)                                                                                                      \
    X(b_row_past)                                                                                                      \
    X(c_rows_past)                                                                                                     \
    X(c_columns_past)                                                                                                  \
    X(c_read_for_beta_0)                                                                                               \
    X(ab_read_for_alpha_0)                                                                                             \
    X(accumulator_without_zero)

#define DECLARE(name) cudaError_t planted_##name(const gemm_problem *, cudaStream_t);
PLANTED_KERNELS(DECLARE)

#define KERNEL(mistake)                                                                                                \
    {.name = #mistake,                                                                                                 \
     .adds = "a planted bug",                                                                                          \
     .dtypes = GEMM_HAS(GEMM_F32) | GEMM_HAS(GEMM_F16),                                                                \
     .unit = GEMM_UNIT_FP32,                                                                                           \
     .launch = planted_##mistake},
static const gemm_kernel kernels[] = {PLANTED_KERNELS(KERNEL)};

int main(int argc, char **argv) {
    static const gemm_stage stage = {"planted", "planted bugs", kernels, sizeof kernels / sizeof *kernels};
    return gemm_main(argc, argv, &stage);
}

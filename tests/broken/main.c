/* A stage of planted bugs, for the tests of the harness. */
#include "gemm.h"

#define BROKEN_KERNELS(X)                                                                                              \
    X(nothing)                                                                                                         \
    X(last_row)                                                                                                        \
    X(one_percent)                                                                                                     \
    X(reads_c)                                                                                                         \
    X(past_the_end)                                                                                                    \
    X(in_the_gap)                                                                                                      \
    X(nans)                                                                                                            \
    X(infinity)                                                                                                        \
    X(works_once)                                                                                                      \
    X(now_and_then)                                                                                                    \
    X(zeros)                                                                                                           \
    X(transposed_b)                                                                                                    \
    X(half_sums)                                                                                                       \
    X(bf16_inputs)                                                                                                     \
    X(too_many_threads)                                                                                                \
    X(too_much_smem)                                                                                                   \
    X(wrong_arch)

#define DECLARE(name) cudaError_t broken_##name(const gemm_problem *, cudaStream_t);
BROKEN_KERNELS(DECLARE)

cudaError_t broken_config(const gemm_problem *, cudaStream_t);

enum { ALL = GEMM_HAS(GEMM_F32) | GEMM_HAS(GEMM_TF32) | GEMM_HAS(GEMM_F16) | GEMM_HAS(GEMM_BF16) };

/* As much as no GPU has, and known before the launch. */
static gemm_footprint too_much_smem_footprint(const gemm_problem *p) {
    (void)p;
    return (gemm_footprint){.threads = 1024, .dynamic_smem = 300 * 1024};
}

static const char *const configs[] = {"right", "wrong", NULL}, *const other_configs[] = {"right", "other", NULL};

#define KERNEL(mistake)                                                                                                \
    {.name = #mistake, .adds = "a planted bug", .dtypes = ALL, .unit = GEMM_UNIT_FP32, .launch = broken_##mistake},
static const gemm_kernel kernels[] = {
    BROKEN_KERNELS(KERNEL)
    /* The same sums as half_sums, but told. */
    {.name = "says_half_sums",
     .adds = "right: sums in half, and says so",
     .dtypes = GEMM_HAS(GEMM_F16),
     .unit = GEMM_UNIT_FP32,
     .launch = broken_half_sums,
     .sums = GEMM_F16},
    {.name = "says_too_much_smem",
     .adds = "says how much shared memory it asks for",
     .dtypes = ALL,
     .unit = GEMM_UNIT_FP32,
     .launch = broken_too_much_smem,
     .footprint = too_much_smem_footprint},
    {.name = "configs",
     .adds = "the second configuration is wrong",
     .dtypes = ALL,
     .unit = GEMM_UNIT_FP32,
     .launch = broken_config,
     .configs = configs},
    {.name = "other_configs",
     .adds = "right, with a configuration of its own",
     .dtypes = ALL,
     .unit = GEMM_UNIT_FP32,
     .launch = broken_nothing,
     .configs = other_configs},
};

#ifdef GEMM_CPU_DEVICE
/* The CPU device has one architecture. */
cudaError_t broken_wrong_arch(const gemm_problem *p, cudaStream_t stream) {
    (void)p, (void)stream;
    return cudaErrorNoKernelImageForDevice;
}
#endif

int main(int argc, char **argv) {
    static const gemm_stage stage = {"broken", "planted bugs", kernels, sizeof kernels / sizeof *kernels};
    return gemm_main(argc, argv, &stage);
}

/* The contract between a stage's kernel and the harness.
 *
 * Every kernel of the ladder computes
 *
 *     C = alpha * A * B + beta * C
 *
 * with A of M x K, B of K x N and C of M x N elements, all row-major, for any M, N, K >= 0. The BLAS rules hold:
 * beta == 0 never reads C (it may hold NaN), alpha == 0 never reads A or B. Sums are formed in float, unless a kernel
 * is about sums in half, and rounded once to the element type of C.
 *
 * A stage describes its kernels in a gemm_stage and hands it to gemm_main(), which does everything else: options,
 * matrices, the float64 oracle, timing, cuBLAS, records. Plain C, so that kernel.cu and the harness share it.
 */
#ifndef GEMM_H
#define GEMM_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element type of the inputs. TF32 is float in memory; its products keep 10 bits of the significand. */
typedef enum { GEMM_F32, GEMM_TF32, GEMM_F16, GEMM_BF16, GEMM_E4M3, GEMM_E5M2, GEMM_DTYPE_COUNT } gemm_dtype;

/* The execution unit that bounds a kernel's arithmetic; its dense peak is the 100 % of the column `util_unit`. */
typedef enum {
    GEMM_UNIT_HOST,        /* one CPU thread */
    GEMM_UNIT_FP32,        /* FP32 cores (FFMA) */
    GEMM_UNIT_TF32_TENSOR, /* tensor cores, by input type */
    GEMM_UNIT_FP16_TENSOR, /* f16 and bf16 */
    GEMM_UNIT_FP8_TENSOR
} gemm_unit;

/* One product to compute. Leading dimensions are in elements: lda >= K, ldb >= N, ldc >= N. */
typedef struct gemm_problem {
    int64_t M, N, K;
    float alpha;
    const void *A;
    int64_t lda;
    const void *B;
    int64_t ldb;
    float beta;
    void *C;
    int64_t ldc;
    gemm_dtype dtype; /* of A, B and C */
    int config;       /* which of the kernel's configurations, counted from 1; 0: it chooses one for this shape */
} gemm_problem;

/* What one launch asks of a multiprocessor: enough for the runtime to tell registers and occupancy. */
typedef struct gemm_footprint {
    const void *function; /* the __global__ function, as cudaFuncGetAttributes takes it */
    int threads;          /* per block */
    size_t dynamic_smem;  /* bytes per block, beside the static arrays */
} gemm_footprint;

#define GEMM_HAS(dtype) (1u << (dtype))

/* One kernel variant of a stage. */
typedef struct gemm_kernel {
    const char *name;
    const char *adds; /* half a sentence: what this variant shows */
    uint32_t dtypes;  /* GEMM_HAS(GEMM_F32) | ... */
    gemm_unit unit;   /* GEMM_UNIT_HOST: launch gets host pointers and runs before it returns */
    /* Enqueues the product on `stream` and returns the launch error, if any. Pointers in the problem are device memory.
     */
    cudaError_t (*launch)(const gemm_problem *problem, cudaStream_t stream);
    /* Registers and occupancy for --list and the records, from the problem's shape, type and configuration. NULL: not
     * known. */
    gemm_footprint (*footprint)(const gemm_problem *problem);
    /* NULL, or returns NULL when the problem can be computed and otherwise a sentence that says why not. */
    const char *(*unsupported)(const gemm_problem *problem);
    /* Names of sets of compile-time parameters, such as "128x128x64", for gemm_problem.config; NULL ends them. NULL
     * itself: there is one set only. */
    const char *const *configs;
    gemm_dtype sums; /* GEMM_F32, which is also what is meant when it is left out, or GEMM_F16 */
} gemm_kernel;

typedef struct gemm_stage {
    const char *name;  /* the directory: "01_naive" */
    const char *title; /* one line for --help */
    const gemm_kernel *kernels;
    int kernel_count;
} gemm_stage;

/* Runs a stage's driver. Returns the exit status: 0 every row passed or was skipped with its reason, 1 a row failed,
 * 2 the command line was not usable, 3 a record or the output could not be written, 4 the device was not usable. */
int gemm_main(int argc, char **argv, const gemm_stage *stage);

#ifdef __cplusplus
}
#endif
#endif

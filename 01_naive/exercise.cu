/* Exercise 01: one thread computes one element of C.
 *
 *   C = alpha*A*B + beta*C      A is M x K, B is K x N, C is M x N, row-major, rows lda, ldb, ldc elements apart
 *
 * Fill in the regions marked TODO. Left empty they compile and give a wrong result, and the driver says where. Try it
 * with
 *
 *   cmake --build --preset cpu --target 01_naive_exercise
 *   build/cpu/exercise/01_naive --m 129 --n 257 --k 65 --dtype f32,f16
 *   build/cpu/exercise/01_naive --m 65 --n 17 --k 300 --alpha 0.5 --beta 2 --lda 303 --ldb 20 --ldc 29
 *   build/cpu/exercise/01_naive --m 8 --n 8 --k 0 --beta 2
 *
 * With --sanitize the CPU device looks for races, reads of what nobody wrote and indices too far, and names the line.
 * On a GPU say gpu for cpu. It is solved when every line says PASS, and ./ladder grade 01, which marks coalesced, gives
 * all points. kernel.cu is one solution.
 */
#include "gemm.h"
#include "kernel/number.cuh"

#define BLOCK 32 /* a block is BLOCK x BLOCK threads, and as many elements of C */
#define THREADS (BLOCK * BLOCK)

/* ---- One thread an element ---- */
template <typename T, int COALESCED>
__global__ void __launch_bounds__(THREADS) naive(int M, int N, int K, float alpha, const T *A, int64_t lda, const T *B,
                                                 int64_t ldb, float beta, T *C, int64_t ldc) {
    /* TODO 1: which element is this thread's? COALESCED == 1: threadIdx.x runs along a row of C, so that a warp reads
     * 32 neighbours of B; COALESCED == 0: down a column. The grid below is already turned to fit. */
    const int row = M, col = N;

    if (row >= M || col >= N)
        return;

    float acc = 0.0f;
    /* TODO 2: the inner product of row `row` of A and column `col` of B. to_float() reads either element type. */
    (void)A, (void)lda, (void)B, (void)ldb, (void)K;

    /* TODO 3: write alpha*acc + beta*C, with from_float(value, &C[...]). Mind beta == 0: C may hold NaN, and 0*NaN is
     * NaN. */
    (void)acc, (void)alpha, (void)beta, (void)C, (void)ldc;
}

/* ---- Launch: one block for each BLOCK x BLOCK piece of C ---- */
template <typename T, int COALESCED> static cudaError_t launch(const gemm_problem *p, cudaStream_t stream) {
    if (p->M == 0 || p->N == 0)
        return cudaSuccess; /* an empty grid would be an error */
    const unsigned rows = (unsigned)((p->M + BLOCK - 1) / BLOCK), cols = (unsigned)((p->N + BLOCK - 1) / BLOCK);
    const int K = p->alpha == 0.0f ? 0 : (int)p->K; /* alpha == 0 must not read A and B */
    naive<T, COALESCED><<<COALESCED ? dim3(cols, rows) : dim3(rows, cols), dim3(BLOCK, BLOCK), 0, stream>>>(
        (int)p->M, (int)p->N, K, p->alpha, (const T *)p->A, p->lda, (const T *)p->B, p->ldb, p->beta, (T *)p->C,
        p->ldc);
    return cudaGetLastError();
}

template <int COALESCED> static cudaError_t launch_typed(const gemm_problem *p, cudaStream_t stream) {
    return p->dtype == GEMM_F16 ? launch<__half, COALESCED>(p, stream) : launch<float, COALESCED>(p, stream);
}

template <int COALESCED> static gemm_footprint footprint(const gemm_problem *p) {
    return {p->dtype == GEMM_F16 ? (const void *)naive<__half, COALESCED> : (const void *)naive<float, COALESCED>,
            THREADS, 0};
}

/* ---- What main.c hands to the harness ---- */
extern "C" {
cudaError_t naive_uncoalesced(const gemm_problem *p, cudaStream_t stream) { return launch_typed<0>(p, stream); }
cudaError_t naive_coalesced(const gemm_problem *p, cudaStream_t stream) { return launch_typed<1>(p, stream); }
gemm_footprint naive_uncoalesced_footprint(const gemm_problem *p) { return footprint<0>(p); }
gemm_footprint naive_coalesced_footprint(const gemm_problem *p) { return footprint<1>(p); }
}

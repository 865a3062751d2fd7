/* 01 naive: three loops become a grid of threads, and the first decision that matters: which thread computes which
 * element.
 *
 *   C = alpha*A*B + beta*C      A is M x K, B is K x N, C is M x N, row-major, rows lda, ldb, ldc elements apart
 *
 *   cpu_loop      the three loops on one CPU thread, in cpu_loop.c: where everybody starts
 *   uncoalesced   one GPU thread an element; the 32 threads of a warp walk down a column of C
 *   coalesced     the same, but they walk along a row of C: the ladder's 1.0
 */
// Alone: nvcc -O3 -arch=native -Icommon 01_naive/kernel.cu 01_naive/*.c common/*.c -lcublas -ldl -lpthread -o naive
#include "gemm.h"
#include "kernel/number.cuh"

#define BLOCK 32 /* a block is BLOCK x BLOCK threads, and as many elements of C */
#define THREADS (BLOCK * BLOCK)

/* ---- One thread an element ---- */
template <typename T, int COALESCED>
__global__ void __launch_bounds__(THREADS) naive(int M, int N, int K, float alpha, const T *A, int64_t lda, const T *B,
                                                 int64_t ldb, float beta, T *C, int64_t ldc) {
    /* The two outer loops became the grid. threadIdx.x is what differs inside a warp: let it run along a row, and in
     * each step of the loop the warp reads one element of A and 32 neighbours of B. Let it run down a column, and the
     * warp reads one element of B but 32 of A that lie lda apart: 32 transactions where one would do. */
    const int row = COALESCED ? blockIdx.y * BLOCK + threadIdx.y : blockIdx.x * BLOCK + threadIdx.x;
    const int col = COALESCED ? blockIdx.x * BLOCK + threadIdx.x : blockIdx.y * BLOCK + threadIdx.y;
    if (row >= M || col >= N)
        return;

    /* ---- Inner product: two loads from global memory for every multiply-add ---- */
    float acc = 0.0f;
    for (int k = 0; k < K; k++)
        acc += to_float(A[row * lda + k]) * to_float(B[k * ldb + col]);

    /* ---- Write-back: beta == 0 must not read C, which may hold NaN ---- */
    const float old = beta == 0.0f ? 0.0f : beta * to_float(C[row * ldc + col]);
    from_float(alpha * acc + old, &C[row * ldc + col]);
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

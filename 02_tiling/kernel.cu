/* 02 tiling: the block stages pieces of A and B in shared memory, and every thread of it uses them.
 *
 *   A TILE x TILE piece of C needs TILE rows of A and TILE columns of B. The block walks along K in steps of BK: all
 * its threads fetch a TILE x BK piece of A and a BK x TILE piece of B together, wait, and multiply out of shared
 * memory. Each number fetched from global memory is now used TILE times instead of once.
 *
 *   tile32    one element a thread: the pure idea
 *   tile64    64 x 64, four elements a thread, as in the article
 *   tile128   128 x 128, sixteen elements a thread
 */
// Alone: nvcc -O3 -arch=native -Icommon 02_tiling/kernel.cu 02_tiling/*.c common/*.c -lcublas -ldl -lpthread -o tiling
#include "gemm.h"
#include "kernel/number.cuh"

#define BLOCK 32 /* a block is BLOCK x BLOCK threads */
#define THREADS (BLOCK * BLOCK)
#define BK 32 /* depth of a staged piece */

template <typename T, int TILE>
__global__ void __launch_bounds__(THREADS) tiling(int M, int N, int K, float alpha, const T *A, int64_t lda, const T *B,
                                                  int64_t ldb, float beta, T *C, int64_t ldc) {
    static_assert(TILE % BLOCK == 0,
                  "TILE must be a multiple of BLOCK: every thread computes the same number of elements");
    static_assert(BK == BLOCK,
                  "BK must equal BLOCK: thread column x fetches column x of the A piece, row y row y of B's");
    static_assert(2 * TILE * BK * sizeof(float) <= 48 * 1024, "TILE is too large: As and Bs must fit into 48 KB");
    constexpr int PER_THREAD = TILE / BLOCK; /* a thread's rows and columns lie BLOCK apart */
    __shared__ float As[TILE][BK]; /* float for half inputs too: each number is converted once, on its way in */
    __shared__ float Bs[BK][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    float acc[PER_THREAD][PER_THREAD] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        /* ---- Stage: fetch both pieces, a warp along a row each time; zeros stand in for what lies outside ---- */
        for (int i = 0; i < PER_THREAD; i++) {
            const int row = row0 + ty + i * BLOCK, k = k0 + tx;
            As[ty + i * BLOCK][tx] = row < M && k < K ? to_float(A[row * lda + k]) : 0.0f;
        }
        for (int j = 0; j < PER_THREAD; j++) {
            const int k = k0 + ty, col = col0 + tx + j * BLOCK;
            Bs[ty][tx + j * BLOCK] = k < K && col < N ? to_float(B[k * ldb + col]) : 0.0f;
        }
        __syncthreads(); /* nobody reads before everybody has written */

        /* ---- Inner product, out of shared memory ---- */
        for (int k = 0; k < BK; k++)
            for (int i = 0; i < PER_THREAD; i++)
                for (int j = 0; j < PER_THREAD; j++)
                    acc[i][j] += As[ty + i * BLOCK][k] * Bs[k][tx + j * BLOCK];
        __syncthreads(); /* nobody overwrites before everybody has read */
    }

    /* ---- Write-back ---- */
    for (int i = 0; i < PER_THREAD; i++)
        for (int j = 0; j < PER_THREAD; j++) {
            const int row = row0 + ty + i * BLOCK, col = col0 + tx + j * BLOCK;
            if (row >= M || col >= N)
                continue;
            const float old = beta == 0.0f ? 0.0f : beta * to_float(C[row * ldc + col]);
            from_float(alpha * acc[i][j] + old, &C[row * ldc + col]);
        }
}

/* ---- Launch: one block for each TILE x TILE piece of C ---- */
template <typename T, int TILE> static cudaError_t launch(const gemm_problem *p, cudaStream_t stream) {
    if (p->M == 0 || p->N == 0)
        return cudaSuccess; /* an empty grid would be an error */
    const unsigned rows = (unsigned)((p->M + TILE - 1) / TILE), cols = (unsigned)((p->N + TILE - 1) / TILE);
    const int K = p->alpha == 0.0f ? 0 : (int)p->K; /* alpha == 0 must not read A and B */
    tiling<T, TILE><<<dim3(cols, rows), dim3(BLOCK, BLOCK), 0, stream>>>((int)p->M, (int)p->N, K, p->alpha,
                                                                         (const T *)p->A, p->lda, (const T *)p->B,
                                                                         p->ldb, p->beta, (T *)p->C, p->ldc);
    return cudaGetLastError();
}

template <int TILE> static cudaError_t launch_typed(const gemm_problem *p, cudaStream_t stream) {
    return p->dtype == GEMM_F16 ? launch<__half, TILE>(p, stream) : launch<float, TILE>(p, stream);
}

template <int TILE> static gemm_footprint footprint(const gemm_problem *p) {
    return {p->dtype == GEMM_F16 ? (const void *)tiling<__half, TILE> : (const void *)tiling<float, TILE>, THREADS, 0};
}

/* ---- What main.c hands to the harness ---- */
extern "C" {
cudaError_t tiling_32(const gemm_problem *p, cudaStream_t stream) { return launch_typed<32>(p, stream); }
cudaError_t tiling_64(const gemm_problem *p, cudaStream_t stream) { return launch_typed<64>(p, stream); }
cudaError_t tiling_128(const gemm_problem *p, cudaStream_t stream) { return launch_typed<128>(p, stream); }
gemm_footprint tiling_32_footprint(const gemm_problem *p) { return footprint<32>(p); }
gemm_footprint tiling_64_footprint(const gemm_problem *p) { return footprint<64>(p); }
gemm_footprint tiling_128_footprint(const gemm_problem *p) { return footprint<128>(p); }
}

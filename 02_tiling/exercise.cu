/* Exercise 02: a block stages pieces of A and B in shared memory and multiplies out of them.
 *
 *   A TILE x TILE piece of C, in steps of BK along K; BLOCK x BLOCK threads, each with PER_THREAD x PER_THREAD elements
 * that lie BLOCK apart.
 *
 * Fill in the regions marked TODO. Left empty they compile and give a wrong result, and the driver says where. Try it
 * with
 *
 *   cmake --build --preset cpu --target 02_tiling_exercise
 *   build/cpu/exercise/02_tiling --m 129 --n 257 --k 65 --dtype f32,f16
 *   build/cpu/exercise/02_tiling --m 65 --n 17 --k 300 --alpha 0.5 --beta 2 --lda 303 --ldb 20 --ldc 29
 *   build/cpu/exercise/02_tiling --m 65 --n 300 --k 17
 *   build/cpu/exercise/02_tiling --m 65 --n 67 --k 33 --poke A:64:32:nan
 *
 * With --sanitize the CPU device looks for races, reads of what nobody wrote and indices too far, and names the line.
 * Start with --kernel tile32, where PER_THREAD is 1. On a GPU say gpu for cpu. It is solved when every line says PASS,
 * and ./ladder grade 02, which marks tile64, gives all points. kernel.cu is one solution.
 */
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
        /* TODO 1: fetch A[row0 .. row0+TILE-1][k0 .. k0+BK-1] into As, every thread PER_THREAD elements, a warp along a
         * row. What lies outside A must become 0: it will be multiplied. */
        As[ty][tx] = 0.0f;
        (void)A, (void)lda;

        /* TODO 2: the same for B[k0 .. k0+BK-1][col0 .. col0+TILE-1] into Bs. */
        Bs[ty][tx] = 0.0f;
        (void)B, (void)ldb;
        (void)As, (void)Bs;

        /* TODO 3: two barriers are missing in this loop. Where, and what does each protect? */

        /* TODO 4: acc[i][j] += the products of this piece, out of shared memory. */
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

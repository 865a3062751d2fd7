/* 03 register cache: a thread owns a TM x TN tile of C and multiplies out of registers.
 *
 *   Shared loads set the pace of 02. Here fewer threads compute the same piece of C, and each of them more of it: for
 * every k a thread loads TM values of A and TN of B into registers, its fragments, and multiplies each with each.
 * TM + TN loads feed TM * TN multiply-adds. Registers are the budget: a thread has at most 255, and a multiprocessor
 * 65536 for all that it is to keep resident. So tiles end where another block would no longer fit.
 *
 *   8x8     128 x 128 of C a block; 128 registers a thread, so two blocks share a multiprocessor
 *   4x4     64 x 64 of C a block, as in the article
 *   16x16   256 x 256 of C a block: 256 sums do not fit into 255 registers; what does not fit goes to memory
 */
// Alone: nvcc -O3 -arch=native -Icommon 03*/kernel.cu 03*/*.c common/*.c -lcublas -ldl -lpthread -o register_cache
#include "gemm.h"
#include "kernel/number.cuh"

#define BLOCK 16 /* a block is BLOCK x BLOCK threads */
#define THREADS (BLOCK * BLOCK)
#define BK 16 /* depth of a staged piece */

/* Two blocks are to share a multiprocessor: 65536 / (2 * THREADS) leave each thread 128 registers. 16x16 wants all. */
template <typename T, int TILE>
__global__ void __launch_bounds__(THREADS, TILE > 128 ? 1 : 2)
    register_cache(int M, int N, int K, float alpha, const T *A, int64_t lda, const T *B, int64_t ldb, float beta, T *C,
                   int64_t ldc) {
    static_assert(TILE % BLOCK == 0,
                  "TILE must be a multiple of BLOCK: every thread computes the same number of elements");
    static_assert(BK == BLOCK,
                  "BK must equal BLOCK: thread column x fetches column x of the A piece, row y row y of B's");
    static_assert(2 * TILE * BK * sizeof(float) <= 48 * 1024, "TILE is too large: As and Bs must fit into 48 KB");
    /* The piece of C of a block, and that of a thread, whose rows and columns lie BLOCK apart */
    constexpr int BM = TILE, BN = TILE, TM = BM / BLOCK, TN = BN / BLOCK;
    __shared__ float As[TILE][BK]; /* float for half inputs too: each number is converted once, on its way in */
    __shared__ float Bs[BK][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int rows = M - blockIdx.y * BM, cols = N - blockIdx.x * BN; /* of C, from this block on */
    float acc[TM][TN] = {};
    A += (int64_t)blockIdx.y * BM * lda, B += blockIdx.x * BN;
    C += (int64_t)blockIdx.y * BM * ldc + blockIdx.x * BN;

    for (int k0 = 0; k0 < K; k0 += BK, A += BK, B += BK * ldb) {
        /* ---- Stage: all loads are under way before the first store; bounds are tested at the border only ---- */
        const bool inside = rows >= BM && cols >= BN && K - k0 >= BK;
        if (inside) {
            float a_copy[TM], b_copy[TN];
            for (int i = 0; i < TM; i++)
                a_copy[i] = to_float(A[(ty + i * BLOCK) * lda + tx]);
            for (int j = 0; j < TN; j++)
                b_copy[j] = to_float(B[ty * ldb + tx + j * BLOCK]);
            for (int i = 0; i < TM; i++)
                As[ty + i * BLOCK][tx] = a_copy[i];
            for (int j = 0; j < TN; j++)
                Bs[ty][tx + j * BLOCK] = b_copy[j];
        } else {
#pragma unroll 1
            for (int m = ty; m < BM; m += BLOCK)
                As[m][tx] = m < rows && k0 + tx < K ? to_float(A[m * lda + tx]) : 0.0f;
#pragma unroll 1
            for (int n = tx; n < BN; n += BLOCK)
                Bs[ty][n] = k0 + ty < K && n < cols ? to_float(B[ty * ldb + n]) : 0.0f;
        }
        __syncthreads(); /* nobody reads before everybody has written */

        /* ---- Inner product: TM + TN loads from shared memory for TM * TN multiply-adds ---- */
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a_frag[TM], b_frag[TN];
            for (int i = 0; i < TM; i++)
                a_frag[i] = As[ty + i * BLOCK][k];
            for (int j = 0; j < TN; j++)
                b_frag[j] = Bs[k][tx + j * BLOCK];
#pragma unroll
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    acc[i][j] += a_frag[i] * b_frag[j];
        }
        __syncthreads(); /* nobody overwrites before everybody has read */
    }

    /* ---- Write-back ---- */
#pragma unroll
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) {
            if (ty + i * BLOCK >= rows || tx + j * BLOCK >= cols)
                continue;
            T *const c = &C[ty * ldc + tx] + i * BLOCK * ldc + j * BLOCK;
            from_float(alpha * acc[i][j] + (beta == 0.0f ? 0.0f : beta * to_float(*c)), c);
        }
}

/* ---- Launch: one block for each TILE x TILE piece of C ---- */
template <typename T, int TILE> static cudaError_t launch(const gemm_problem *p, cudaStream_t stream) {
    if (p->M == 0 || p->N == 0)
        return cudaSuccess; /* an empty grid would be an error */
    const unsigned rows = (unsigned)((p->M + TILE - 1) / TILE), cols = (unsigned)((p->N + TILE - 1) / TILE);
    const int K = p->alpha == 0.0f ? 0 : (int)p->K; /* alpha == 0 must not read A and B */
    register_cache<T, TILE><<<dim3(cols, rows), dim3(BLOCK, BLOCK), 0, stream>>>(
        (int)p->M, (int)p->N, K, p->alpha, (const T *)p->A, p->lda, (const T *)p->B, p->ldb, p->beta, (T *)p->C,
        p->ldc);
    return cudaGetLastError();
}

template <int TILE> static cudaError_t launch_typed(const gemm_problem *p, cudaStream_t stream) {
    return p->dtype == GEMM_F16 ? launch<__half, TILE>(p, stream) : launch<float, TILE>(p, stream);
}

template <int TILE> static gemm_footprint footprint(const gemm_problem *p) {
    return {p->dtype == GEMM_F16 ? (const void *)register_cache<__half, TILE>
                                 : (const void *)register_cache<float, TILE>,
            THREADS, 0};
}

/* ---- What main.c hands to the harness ---- */
extern "C" {
cudaError_t register_cache_8x8(const gemm_problem *p, cudaStream_t stream) { return launch_typed<128>(p, stream); }
cudaError_t register_cache_4x4(const gemm_problem *p, cudaStream_t stream) { return launch_typed<64>(p, stream); }
cudaError_t register_cache_16x16(const gemm_problem *p, cudaStream_t stream) { return launch_typed<256>(p, stream); }
gemm_footprint register_cache_8x8_footprint(const gemm_problem *p) { return footprint<128>(p); }
gemm_footprint register_cache_4x4_footprint(const gemm_problem *p) { return footprint<64>(p); }
gemm_footprint register_cache_16x16_footprint(const gemm_problem *p) { return footprint<256>(p); }
}

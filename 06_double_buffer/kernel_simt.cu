/* 06 double buffering on FP32 cores: the article's smemA[2], with the next piece waiting in registers.
 *
 *   04 loads a piece, waits for it, multiplies it. Here
 *
 *   - the loads for the next piece are asked for before this piece is multiplied; a load is only waited for where its
 *     register is read, and that is when this piece is done;
 *   - As and Bs have two buffers: the next piece goes into one while slower warps still read the other. One barrier a
 *     piece.
 *
 *   Tiles, lanes and padding are 04's, with twice the rows and half the depth: 256 threads for 128 x 128 of C, two
 * blocks a multiprocessor.
 */
#include "gemm.h"
#include "kernel/number.cuh"

enum { BM = 128, BN = 128, BK = 16, TM = 8, TN = 8, PAD = 4, THREADS = 256 };

/* acc += a column of As times a row of Bs; products down and up, as in 04. */
static __device__ __forceinline__ void multiply(float (&acc)[TM][TN], const float *As, const float *Bs) {
    __align__(16) float a_frag[TM], b_frag[TN];
#pragma unroll
    for (int i = 0; i < TM; i += 4)
        store4(load4(&As[i * 4]), &a_frag[i]);
#pragma unroll
    for (int j = 0; j < TN; j += 4)
        store4(load4(&Bs[j * 8]), &b_frag[j]);
#pragma unroll
    for (int j = 0; j < TN; j++)
        for (int step = 0; step < TM; step++) {
            const int i = j % 2 ? TM - 1 - step : step;
            acc[i][j] += a_frag[i] * b_frag[j];
        }
}

/* Registers for two blocks a multiprocessor: 65536 / (2 * THREADS) leave each thread 128. */
static __global__ void __launch_bounds__(THREADS, 2)
    double_buffer(int M, int N, int K, float alpha, const float *A, int64_t lda, const float *B, int64_t ldb,
                  float beta, float *C, int64_t ldc) {
    static_assert(TM == 8 && TN == 8 && BM == 4 * 32 && BN == 2 * 64 && THREADS == 8 * 32,
                  "eight warps, four by two, have 32 x 64 of C each and a lane 8 x 8: change these together");
    static_assert(THREADS == 2 * BM && BK == 16 && BN == 4 * 32,
                  "two threads copy a row of A, 8 of its 16 elements each; a warp copies a row of B in one load");
    __shared__ __align__(16) float As[2][BK][BM + PAD]; /* transposed */
    __shared__ __align__(16) float Bs[2][BK][BN];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int lane_m = (lane & 1) | (lane >> 2 & 1) << 1, lane_n = (lane >> 1 & 1) | lane >> 3 << 1; /* as in 04 */
    const int m0 = warp / 2 * 32 + lane_m * 4;                        /* and the rows from m0 + 16 on */
    const int n0 = warp % 2 * 64 + lane_n * 4;                        /* and the columns from n0 + 32 on */
    const int rows = M - blockIdx.y * BM, cols = N - blockIdx.x * BN; /* of C, from this block on */
    const bool aligned = aligned4(A, lda) && aligned4(B, ldb) && aligned4(C, ldc);
    const int whole = aligned && (cols >= BN || cols % 4 == 0) ? K / BK : 0; /* pieces that are copied by fours */
    float acc[TM][TN] = {};
    float4 a_next[2], b_next[2];
    A += (int64_t)blockIdx.y * BM * lda, B += blockIdx.x * BN;
    C += (int64_t)blockIdx.y * BM * ldc + blockIdx.x * BN;

    /* ---- This thread's share; past the edge it is read from the last row or columns, and not stored ---- */
    const float *a_from = &A[min(t / 2, rows - 1) * lda + t % 2 * 4];
    const float *b_from = &B[warp * ldb + min(lane * 4, cols - 4)];

    /* ---- Main loop: piece i is multiplied while piece i + 1 comes. Pointers change buffers by adding a distance: an
     * index would be computed anew for each access ---- */
    const float *as = &As[0][0][m0], *bs = &Bs[0][0][n0];
    float *a_to = &As[1][t % 2 * 4][t / 2], *b_to = &Bs[1][warp][lane * 4];
    int side = 1;
    if (whole > 0) {
        for (int q = 0; q < 2; q++)
            a_next[q] = load4(a_from + q * 8), b_next[q] = load4(b_from + q * 8 * ldb);
        a_from += BK, b_from += BK * ldb;
        for (int q = 0; q < 2; q++)
            for (int e = 0; e < 4; e++)
                As[0][t % 2 * 4 + q * 8 + e][t / 2] = (&a_next[q].x)[e];
        for (int q = 0; q < 2; q++)
            store4(b_next[q], &Bs[0][warp + q * 8][lane * 4]);
    }
    __syncthreads();
    for (int i = 0; i < whole; i++) {
        if (i + 1 < whole) { /* nobody waits for these loads yet */
            for (int q = 0; q < 2; q++)
                a_next[q] = load4(a_from + q * 8), b_next[q] = load4(b_from + q * 8 * ldb);
            a_from += BK, b_from += BK * ldb;
        }
#pragma unroll
        for (int k = 0; k < BK; k++)
            multiply(acc, as + k * (BM + PAD), bs + k * BN);
        if (i + 1 < whole) {
            for (int q = 0; q < 2; q++)
                for (int e = 0; e < 4; e++)
                    a_to[(q * 8 + e) * (BM + PAD)] = (&a_next[q].x)[e];
            for (int q = 0; q < 2; q++)
                store4(b_next[q], b_to + q * 8 * BN);
        }
        __syncthreads(); /* the other buffer is full, and this one used up */
        const int a_step = side * BK * (BM + PAD), b_step = side * BK * BN;
        as += a_step, bs += b_step, a_to -= a_step, b_to -= b_step, side = -side;
    }

    /* ---- Whatever is left of K, element by element ---- */
    for (int k0 = whole * BK; k0 < K; k0 += BK) {
#pragma unroll 1
        for (int e = t; e < BM * BK; e += THREADS)
            As[0][e % BK][e / BK] = e / BK < rows && k0 + e % BK < K ? A[e / BK * lda + k0 + e % BK] : 0.0f;
#pragma unroll 1
        for (int e = t; e < BK * BN; e += THREADS)
            Bs[0][e / BN][e % BN] = k0 + e / BN < K && e % BN < cols ? B[(k0 + e / BN) * ldb + e % BN] : 0.0f;
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < BK; k++)
            multiply(acc, &As[0][k][m0], &Bs[0][k][n0]);
        __syncthreads();
    }

    /* ---- Write-back ---- */
#pragma unroll
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j += 4) {
            const int m = m0 + i % 4 + i / 4 * 16, n = n0 + j * 8, count = m < rows ? cols - n : 0;
            float *const c = &C[m * ldc + n];
            const float4 old = beta == 0.0f ? float4{} : load4_part(c, count, aligned);
            store4_part({alpha * acc[i][j] + beta * old.x, alpha * acc[i][j + 1] + beta * old.y,
                         alpha * acc[i][j + 2] + beta * old.z, alpha * acc[i][j + 3] + beta * old.w},
                        c, count, aligned);
        }
}

/* ---- Launch: one block for each BM x BN piece of C ---- */
extern "C" {
cudaError_t double_buffer_simt(const gemm_problem *p, cudaStream_t stream) {
    if (p->M == 0 || p->N == 0)
        return cudaSuccess; /* an empty grid would be an error */
    const unsigned rows = (unsigned)((p->M + BM - 1) / BM), cols = (unsigned)((p->N + BN - 1) / BN);
    const int K = p->alpha == 0.0f ? 0 : (int)p->K; /* alpha == 0 must not read A and B */
    double_buffer<<<dim3(cols, rows), THREADS, 0, stream>>>((int)p->M, (int)p->N, K, p->alpha, (const float *)p->A,
                                                            p->lda, (const float *)p->B, p->ldb, p->beta, (float *)p->C,
                                                            p->ldc);
    return cudaGetLastError();
}
gemm_footprint double_buffer_simt_footprint(const gemm_problem *) { return {(const void *)double_buffer, THREADS, 0}; }
}

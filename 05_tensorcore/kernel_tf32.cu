/* 05 tensor cores on float: TF32.
 *
 *   The tensor cores take a float, too, but read only 19 of its bits: sign, 8 of exponent, 10 of fraction. That is
 * TF32: the range of float with the precision of half. Against kernel.cu:
 *
 *   - Elements have four bytes, so a chunk of 16 bytes holds four, and mma.sync has a depth of 8.
 *   - Inputs are rounded to TF32 on their way into shared memory; left as they are, their last 13 bits would be cut
 *     off, which makes every product too small.
 *   - ldmatrix deals out A as before: a row of 16 bytes is four floats. It cannot transpose floats, so lanes read B
 *     one by one; rows of Bs are widened by 8 floats, and the four rows by eight columns of a request meet 32 banks.
 */
#include "gemm.h"
#include "kernel/number.cuh"
#include "kernel/ptx.cuh"

enum { BM = 128, BN = 128, BK = 32, WM = 64, WN = 64, PAD_A = 4, PAD_B = 8, THREADS = BM / WM * (BN / WN) * 32 };

static __device__ __forceinline__ float4 round4(float4 v) {
    return {round_to_tf32(v.x), round_to_tf32(v.y), round_to_tf32(v.z), round_to_tf32(v.w)};
}

static __global__ void __launch_bounds__(THREADS, 2)
    tensorcore_floats(int M, int N, int K, float alpha, const float *A, int64_t lda, const float *B, int64_t ldb,
                      float beta, float *C, int64_t ldc) {
    static_assert(BM == 8 * 16 && BN == 32 * 4 && BK == 8 * 4 && THREADS == 128,
                  "a thread copies eight chunks of each");
    static_assert(PAD_A % 4 == 0 && PAD_B % 4 == 0, "rows must start on 16 bytes: ldmatrix and float4");
    __shared__ __align__(16) float As[BM][BK + PAD_A];
    __shared__ __align__(16) float Bs[BK][BN + PAD_B];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN; /* the warp's tile in the block's */
    const int rows = M - blockIdx.y * BM, cols = N - blockIdx.x * BN; /* of C, from this block on */
    const bool aligned = has_chunks(A, lda) && has_chunks(B, ldb);
    const uint32_t a_from = (t / 8 * (uint32_t)lda + t % 8 * 4) * 4, a_step = 16 * (uint32_t)lda * 4; /* bytes */
    const uint32_t b_from = (t / 32 * (uint32_t)ldb + t % 32 * 4) * 4, b_step = 4 * (uint32_t)ldb * 4;
    float acc[WM / 16][WN / 8][4] = {};
    A += (int64_t)blockIdx.y * BM * lda, B += blockIdx.x * BN;
    C += (int64_t)blockIdx.y * BM * ldc + blockIdx.x * BN;

    for (int k0 = 0; k0 < K; k0 += BK, A += BK, B += BK * ldb) {
        /* ---- Stage ---- */
        if (rows >= BM && cols >= BN && K - k0 >= BK && aligned) {
            float4 copy[8]; /* all loads of a matrix before the first store */
            for (int i = 0; i < 8; i++)
                copy[i] = *(const float4 *)((const char *)A + (a_from + i * a_step));
            for (int i = 0; i < 8; i++)
                store4(round4(copy[i]), &As[t / 8 + i * 16][t % 8 * 4]);
            for (int i = 0; i < 8; i++)
                copy[i] = *(const float4 *)((const char *)B + (b_from + i * b_step));
            for (int i = 0; i < 8; i++)
                store4(round4(copy[i]), &Bs[t / 32 + i * 4][t % 32 * 4]);
        } else {
#pragma unroll 1
            for (int e = t * 4; e < BM * BK; e += THREADS * 4)
                store4(round4(load4_part(&A[e / BK * lda + e % BK], e / BK < rows ? K - k0 - e % BK : 0, aligned)),
                       &As[e / BK][e % BK]);
#pragma unroll 1
            for (int e = t * 4; e < BK * BN; e += THREADS * 4)
                store4(round4(load4_part(&B[e / BN * ldb + e % BN], k0 + e / BN < K ? cols - e % BN : 0, aligned)),
                       &Bs[e / BN][e % BN]);
        }
        __syncthreads(); /* nobody reads before everybody has written */

        /* ---- Inner product ---- */
#pragma unroll
        for (int k = 0; k < BK; k += 8) {
            uint32_t a[WM / 16][4], b[2];
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
                ldmatrix_x4(a[i], &As[wm + i * 16 + lane % 16][k + lane / 16 * 4]);
#pragma unroll
            for (int j = 0; j < WN / 8; j++) {
                b[0] = __float_as_uint(Bs[k + lane % 4][wn + j * 8 + lane / 4]);
                b[1] = __float_as_uint(Bs[k + lane % 4 + 4][wn + j * 8 + lane / 4]);
#pragma unroll
                for (int i = 0; i < WM / 16; i++)
                    mma_16x8x8_tf32(acc[i][j], a[i], b);
            }
        }
        __syncthreads(); /* nobody overwrites before everybody has read */
    }

    /* ---- Write-back: four lanes have a whole sector of a row ---- */
    const bool pairs = (uintptr_t)C % 8 == 0 && ldc % 2 == 0;
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 8; j++)
            for (int h = 0; h < 2; h++) {
                const int m = wm + i * 16 + lane / 4 + h * 8, n = wn + j * 8 + lane % 4 * 2;
                float *const c = &C[m * ldc + n];
                const float x = alpha * acc[i][j][2 * h], y = alpha * acc[i][j][2 * h + 1];
                if (m < rows && n + 1 < cols && pairs) {
                    const float2 old = beta == 0.0f ? float2{} : *(const float2 *)c;
                    *(float2 *)c = {x + beta * old.x, y + beta * old.y};
                    continue;
                }
                if (m < rows && n < cols)
                    c[0] = x + (beta == 0.0f ? 0.0f : beta * c[0]);
                if (m < rows && n + 1 < cols)
                    c[1] = y + (beta == 0.0f ? 0.0f : beta * c[1]);
            }
}

/* ---- Launch: one block for each BM x BN piece of C ---- */
extern "C" {
cudaError_t tensorcore_tf32(const gemm_problem *p, cudaStream_t stream) {
    if (p->M == 0 || p->N == 0)
        return cudaSuccess; /* an empty grid would be an error */
    const unsigned rows = (unsigned)((p->M + BM - 1) / BM), cols = (unsigned)((p->N + BN - 1) / BN);
    const int K = p->alpha == 0.0f ? 0 : (int)p->K; /* alpha == 0 must not read A and B */
    tensorcore_floats<<<dim3(cols, rows), THREADS, 0, stream>>>((int)p->M, (int)p->N, K, p->alpha, (const float *)p->A,
                                                                p->lda, (const float *)p->B, p->ldb, p->beta,
                                                                (float *)p->C, p->ldc);
    return cudaGetLastError();
}
gemm_footprint tensorcore_tf32_footprint(const gemm_problem *) { return {(const void *)tensorcore_floats, THREADS, 0}; }
}

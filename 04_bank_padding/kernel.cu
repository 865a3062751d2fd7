/* 04 bank padding: a layout in which no lane waits for another.
 *
 *   Shared memory has 32 banks of 4 bytes. A request of a warp takes as many wavefronts as one bank is asked for
 * different words. Draw on paper which lane touches what, then choose the layout:
 *
 *   - As is transposed, As[k][m]. What a thread wants of A for one k are neighbours then: two loads of 16 bytes.
 *   - A 16-byte load takes four wavefronts, one for each quarter of the warp; two, when every lane has the address of
 *     lane ^ 1, or every lane that of lane ^ 2. So of the warp's 4 x 8 lanes those that differ in bit 0 lie above each
 *     other and share the address in Bs; those that differ in bit 1 lie side by side and share that in As.
 *   - Transposing stores down a column of As. Two lanes take a row of A, and PAD floats widen the rows of As, so that
 *     sixteen rows times two lanes meet 32 different banks.
 *   - Global memory too is read and written by fours: 16 bytes of float, 8 of half.
 *
 *   pad4       all of it
 *   pad0       rows of As not widened: the two lanes of a row store to the same bank
 *   unpaired   lanes counted row by row: a load from Bs takes four wavefronts
 */
// Alone: nvcc -O3 -arch=native -Icommon 04*/kernel.cu 04*/*.c common/*.c -lcublas -ldl -lpthread -o bank_padding
#include "gemm.h"
#include "kernel/number.cuh"

/* A block's piece of C, the depth of a staged piece, a thread's tile. A warp has 32 x 64 of C, in 4 x 8 lanes. */
enum { BM = 64, BN = 128, BK = 32, TM = 8, TN = 8 };
#define THREADS 128

/* Registers for four blocks a multiprocessor: 65536 / (4 * THREADS) leave each thread 128. */
template <typename T, int PAD, int PAIRED>
__global__ void __launch_bounds__(THREADS, 4) bank_padding(int M, int N, int K, float alpha, const T *A, int64_t lda,
                                                           const T *B, int64_t ldb, float beta, T *C, int64_t ldc) {
    static_assert(PAD % 4 == 0, "PAD must be a multiple of 4 floats: every row of As starts on 16 bytes");
    static_assert(TM == 8 && TN == 8 && BM == 2 * 32 && BN == 2 * 64 && THREADS == 4 * 32,
                  "four warps, two by two, have 32 x 64 of C each and a lane 8 x 8: change these together");
    static_assert(THREADS == 2 * BM && BK == 32 && BN == 4 * 32,
                  "two threads copy a row of A, 16 of its 32 elements each; a warp copies a row of B in one load");
    __shared__ __align__(16) float As[BK][BM + PAD]; /* transposed */
    __shared__ __align__(16) float Bs[BK][BN];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int lane_m = PAIRED ? (lane & 1) | (lane >> 2 & 1) << 1 : lane / 8;
    const int lane_n = PAIRED ? (lane >> 1 & 1) | lane >> 3 << 1 : lane % 8;
    const int m0 = warp / 2 * 32 + lane_m * 4;                        /* and the rows from m0 + 16 on */
    const int n0 = warp % 2 * 64 + lane_n * 4;                        /* and the columns from n0 + 32 on */
    const int rows = M - blockIdx.y * BM, cols = N - blockIdx.x * BN; /* of C, from this block on */
    const bool aligned = aligned4(A, lda) && aligned4(B, ldb) && aligned4(C, ldc);
    float acc[TM][TN] = {};
    A += (int64_t)blockIdx.y * BM * lda, B += blockIdx.x * BN;
    C += (int64_t)blockIdx.y * BM * ldc + blockIdx.x * BN;

    for (int k0 = 0; k0 < K; k0 += BK, A += BK, B += BK * ldb) {
        /* ---- Stage: A, then B, of each all loads before the first store; bounds are tested at the border only ---- */
        const bool inside = rows >= BM && cols >= BN && K - k0 >= BK && aligned;
        if (inside) {
            float4 copy[8];
            for (int i = 0; i < 4; i++)
                copy[i] = load4(&A[t / 2 * lda + t % 2 * 4] + i * 8);
            for (int i = 0; i < 4; i++)
                for (int q = 0; q < 4; q++)
                    As[t % 2 * 4 + i * 8 + q][t / 2] = (&copy[i].x)[q];
            for (int j = 0; j < 8; j++)
                copy[j] = load4(&B[warp * ldb + lane * 4] + j * 4 * ldb);
            for (int j = 0; j < 8; j++)
                store4(copy[j], &Bs[warp + j * 4][lane * 4]);
        } else {
#pragma unroll 1
            for (int e = t; e < BM * BK; e += THREADS)
                As[e % BK][e / BK] = e / BK < rows && k0 + e % BK < K ? to_float(A[e / BK * lda + e % BK]) : 0.0f;
#pragma unroll 1
            for (int e = t; e < BK * BN; e += THREADS)
                Bs[e / BN][e % BN] = k0 + e / BN < K && e % BN < cols ? to_float(B[e / BN * ldb + e % BN]) : 0.0f;
        }
        __syncthreads(); /* nobody reads before everybody has written */

        /* ---- Inner product: four loads of 16 bytes for TM * TN multiply-adds ---- */
#pragma unroll
        for (int k = 0; k < BK; k++) {
            /* i and j, 0 and 4, are constants once unrolled: no address of a register array is ever taken */
            __align__(16) float a_frag[TM], b_frag[TN];
            for (int i = 0; i < TM; i += 4)
                store4(load4(&As[k][m0 + i * 4]), &a_frag[i]);
            for (int j = 0; j < TN; j += 4)
                store4(load4(&Bs[k][n0 + j * 8]), &b_frag[j]);
#pragma unroll
            for (int j = 0; j < TN; j++)
                for (int step = 0; step < TM; step++) {
                    const int i =
                        j % 2 ? TM - 1 - step : step; /* down and up: a product shares an operand with the last */
                    acc[i][j] += a_frag[i] * b_frag[j];
                }
        }
        __syncthreads(); /* nobody overwrites before everybody has read */
    }

    /* ---- Write-back ---- */
#pragma unroll
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j += 4) {
            const int m = m0 + i % 4 + i / 4 * 16, n = n0 + j * 8, count = m < rows ? cols - n : 0;
            T *const c = &C[m * ldc + n];
            const float4 old = beta == 0.0f ? float4{} : load4_part(c, count, aligned);
            store4_part({alpha * acc[i][j] + beta * old.x, alpha * acc[i][j + 1] + beta * old.y,
                         alpha * acc[i][j + 2] + beta * old.z, alpha * acc[i][j + 3] + beta * old.w},
                        c, count, aligned);
        }
}

/* ---- Launch: one block for each BM x BN piece of C ---- */
template <typename T, int PAD, int PAIRED> static cudaError_t launch(const gemm_problem *p, cudaStream_t stream) {
    if (p->M == 0 || p->N == 0)
        return cudaSuccess; /* an empty grid would be an error */
    const unsigned rows = (unsigned)((p->M + BM - 1) / BM), cols = (unsigned)((p->N + BN - 1) / BN);
    const int K = p->alpha == 0.0f ? 0 : (int)p->K; /* alpha == 0 must not read A and B */
    bank_padding<T, PAD, PAIRED><<<dim3(cols, rows), THREADS, 0, stream>>>((int)p->M, (int)p->N, K, p->alpha,
                                                                           (const T *)p->A, p->lda, (const T *)p->B,
                                                                           p->ldb, p->beta, (T *)p->C, p->ldc);
    return cudaGetLastError();
}

template <int PAD, int PAIRED> static cudaError_t launch_typed(const gemm_problem *p, cudaStream_t stream) {
    return p->dtype == GEMM_F16 ? launch<__half, PAD, PAIRED>(p, stream) : launch<float, PAD, PAIRED>(p, stream);
}

template <int PAD, int PAIRED> static gemm_footprint footprint(const gemm_problem *p) {
    return {p->dtype == GEMM_F16 ? (const void *)bank_padding<__half, PAD, PAIRED>
                                 : (const void *)bank_padding<float, PAD, PAIRED>,
            THREADS, 0};
}

/* ---- What main.c hands to the harness ---- */
extern "C" {
cudaError_t bank_padding_pad4(const gemm_problem *p, cudaStream_t stream) { return launch_typed<4, 1>(p, stream); }
cudaError_t bank_padding_pad0(const gemm_problem *p, cudaStream_t stream) { return launch_typed<0, 1>(p, stream); }
cudaError_t bank_padding_unpaired(const gemm_problem *p, cudaStream_t stream) { return launch_typed<4, 0>(p, stream); }
gemm_footprint bank_padding_pad4_footprint(const gemm_problem *p) { return footprint<4, 1>(p); }
gemm_footprint bank_padding_pad0_footprint(const gemm_problem *p) { return footprint<0, 1>(p); }
gemm_footprint bank_padding_unpaired_footprint(const gemm_problem *p) { return footprint<4, 0>(p); }
}

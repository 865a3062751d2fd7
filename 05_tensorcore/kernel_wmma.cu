/* 05 tensor cores through WMMA, and the promise that the unit is one parameter.
 *
 *   CUDA's own WMMA functions hide which lane holds what of a 16 x 16 piece. That makes them easy: load, multiply,
 * store. It also means that sums can only be looked at through shared memory, that rows in shared memory must have a
 * leading dimension of whole 16 bytes and pieces start on multiples of 32, and that nobody says how loads meet the
 * banks.
 *
 *   Three functions know the unit: `clear`, `multiply` and `take`. Everything around them, tiles, staging,
 * write-back, is the same for both units; kernel.cu is the third.
 *
 *   wmma        tensor cores, sums in float
 *   wmma_half   tensor cores, sums in half: compute low, accumulate low. Every 16 products a sum is rounded to 11 bits
 *   simt        FP32 cores, on the same tiles and from the same shared memory
 */
#include "gemm.h"
#include "kernel/number.cuh"
#include <mma.h>

namespace wmma = nvcuda::wmma;

enum { BM = 128, BN = 128, BK = 64, WM = 64, WN = 64, PAD = 16, THREADS = BM / WM * (BN / WN) * 32 };
enum { UNIT_SIMT, UNIT_WMMA };
enum { LD_SCRATCH = 24 }; /* whole 16 bytes in float and in half */

/* ---- The unit: a warp's sums; their zero; a step of depth 16; eight neighbours of piece (i, j), row lane / 2, from
 * column lane % 2 * 8 on, by way of the warp's scratch of 16 x LD_SCRATCH ---- */
template <int UNIT, typename SUM> struct sums;

template <typename SUM> struct sums<UNIT_WMMA, SUM> {
    wmma::fragment<wmma::accumulator, 16, 16, 16, SUM> piece[WM / 16][WN / 16];
};
template <typename SUM> static __device__ __forceinline__ void clear(sums<UNIT_WMMA, SUM> &acc) {
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
        for (int j = 0; j < WN / 16; j++)
            wmma::fill_fragment(acc.piece[i][j], 0.0f);
}
template <typename T, typename SUM>
static __device__ __forceinline__ void multiply(sums<UNIT_WMMA, SUM> &acc, const T *As, const T *Bs) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> a[WM / 16];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> b;
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
        wmma::load_matrix_sync(a[i], As + i * 16 * (BK + PAD), BK + PAD);
#pragma unroll
    for (int j = 0; j < WN / 16; j++) {
        wmma::load_matrix_sync(b, Bs + j * 16, BN + PAD);
#pragma unroll
        for (int i = 0; i < WM / 16; i++)
            wmma::mma_sync(acc.piece[i][j], a[i], b, acc.piece[i][j]);
    }
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
static __device__ void multiply(sums<UNIT_WMMA, float> &, const __nv_bfloat16 *, const __nv_bfloat16 *) {
    __trap(); /* the harness refuses: bfloat16 on tensor cores needs sm_80 */
}
#endif
template <typename SUM>
static __device__ __forceinline__ void take(const sums<UNIT_WMMA, SUM> &acc, int i, int j, void *scratch,
                                            float (&out)[8]) {
    const int lane = threadIdx.x % 32;
    SUM *const piece = (SUM *)scratch; /* as it is: which lane has which element need not be the same for other types */
    wmma::store_matrix_sync(piece, acc.piece[i][j], LD_SCRATCH, wmma::mem_row_major);
    __syncwarp();
#pragma unroll
    for (int e = 0; e < 8; e++)
        out[e] = to_float(piece[lane / 2 * LD_SCRATCH + lane % 2 * 8 + e]);
    __syncwarp();
}

template <> struct sums<UNIT_SIMT, float> { float element[WM / 16][WN / 16][8]; };
static __device__ __forceinline__ void clear(sums<UNIT_SIMT, float> &acc) { acc = {}; }
template <typename T>
static __device__ __forceinline__ void multiply(sums<UNIT_SIMT, float> &acc, const T *As, const T *Bs) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int k0 = 0; k0 < 16; k0 += 8) {
        uint4 a[WM / 16], b; /* chunks of eight */
#pragma unroll
        for (int i = 0; i < WM / 16; i++)
            a[i] = *(const uint4 *)&As[(i * 16 + lane / 2) * (BK + PAD) + k0];
#pragma unroll
        for (int k = 0; k < 8; k++)
#pragma unroll
            for (int j = 0; j < WN / 16; j++) {
                b = *(const uint4 *)&Bs[(k0 + k) * (BN + PAD) + j * 16 + lane % 2 * 8];
#pragma unroll
                for (int i = 0; i < WM / 16; i++)
#pragma unroll
                    for (int e = 0; e < 8; e++)
                        acc.element[i][j][e] += to_float(((const T *)&a[i])[k]) * to_float(((const T *)&b)[e]);
            }
    }
}
static __device__ __forceinline__ void take(const sums<UNIT_SIMT, float> &acc, int i, int j, void *, float (&out)[8]) {
#pragma unroll
    for (int e = 0; e < 8; e++)
        out[e] = acc.element[i][j][e];
}

/* ---- Everything else ---- */
template <int UNIT, typename T, typename SUM>
static __global__ void __launch_bounds__(THREADS, 2)
    tensorcore_units(int M, int N, int K, float alpha, const T *A, int64_t lda, const T *B, int64_t ldb, float beta,
                     T *C, int64_t ldc) {
    static_assert(BM == 8 * 16 && BN == 16 * 8 && BK == 8 * 8 && THREADS == 128,
                  "a thread copies eight chunks of each");
    static_assert(PAD % 16 == 0, "PAD must be a multiple of 16: WMMA wants pieces that start on 32 bytes");
    __shared__ __align__(32) T As[BM][BK + PAD];
    __shared__ __align__(32) T Bs[BK][BN + PAD];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN; /* the warp's tile in the block's */
    const int rows = M - blockIdx.y * BM, cols = N - blockIdx.x * BN; /* of C, from this block on */
    const bool chunks = has_chunks(A, lda) && has_chunks(B, ldb), c_chunks = has_chunks(C, ldc);
    sums<UNIT, SUM> acc;
    clear(acc);
    A += (int64_t)blockIdx.y * BM * lda, B += blockIdx.x * BN;
    C += (int64_t)blockIdx.y * BM * ldc + blockIdx.x * BN;

    for (int k0 = 0; k0 < K; k0 += BK, A += BK, B += BK * ldb) {
        if (rows >= BM && cols >= BN && K - k0 >= BK && chunks) {
            uint4 copy[8]; /* all loads of a matrix before the first store */
            for (int i = 0; i < 8; i++)
                copy[i] = *(const uint4 *)&A[(t / 8 + i * 16) * lda + t % 8 * 8];
            for (int i = 0; i < 8; i++)
                *(uint4 *)&As[t / 8 + i * 16][t % 8 * 8] = copy[i];
            for (int i = 0; i < 8; i++)
                copy[i] = *(const uint4 *)&B[(t / 16 + i * 8) * ldb + t % 16 * 8];
            for (int i = 0; i < 8; i++)
                *(uint4 *)&Bs[t / 16 + i * 8][t % 16 * 8] = copy[i];
        } else {
#pragma unroll 1
            for (int e = t * 8; e < BM * BK; e += THREADS * 8)
                *(uint4 *)&As[e / BK][e % BK] =
                    load8_part(&A[e / BK * lda + e % BK], e / BK < rows ? K - k0 - e % BK : 0, chunks);
#pragma unroll 1
            for (int e = t * 8; e < BK * BN; e += THREADS * 8)
                *(uint4 *)&Bs[e / BN][e % BN] =
                    load8_part(&B[e / BN * ldb + e % BN], k0 + e / BN < K ? cols - e % BN : 0, chunks);
        }
        __syncthreads(); /* nobody reads before everybody has written */
#pragma unroll 1
        for (int k = 0; k < BK; k += 16)
            multiply(acc, &As[wm][k], &Bs[k][wn]);
        __syncthreads(); /* nobody overwrites before everybody has read */
    }

    float *const scratch = (float *)As + warp * 16 * LD_SCRATCH;
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
#pragma unroll
        for (int j = 0; j < WN / 16; j++) {
            const int m = wm + i * 16 + lane / 2, n = wn + j * 16 + lane % 2 * 8, count = m < rows ? cols - n : 0;
            float sum[8];
            __align__(16) T c[8];
            take(acc, i, j, scratch, sum);
            *(uint4 *)c = beta == 0.0f ? uint4{} : load8_part(&C[m * ldc + n], count, c_chunks);
#pragma unroll
            for (int e = 0; e < 8; e++)
                from_float(alpha * sum[e] + (beta == 0.0f ? 0.0f : beta * to_float(c[e])), &c[e]);
            store8_part(*(const uint4 *)c, &C[m * ldc + n], count, c_chunks);
        }
}

/* ---- Launch: one block for each BM x BN piece of C ---- */
template <int UNIT, typename T, typename SUM> static cudaError_t launch(const gemm_problem *p, cudaStream_t stream) {
    if (p->M == 0 || p->N == 0)
        return cudaSuccess; /* an empty grid would be an error */
    const unsigned rows = (unsigned)((p->M + BM - 1) / BM), cols = (unsigned)((p->N + BN - 1) / BN);
    const int K = p->alpha == 0.0f ? 0 : (int)p->K; /* alpha == 0 must not read A and B */
    tensorcore_units<UNIT, T, SUM><<<dim3(cols, rows), THREADS, 0, stream>>>((int)p->M, (int)p->N, K, p->alpha,
                                                                             (const T *)p->A, p->lda, (const T *)p->B,
                                                                             p->ldb, p->beta, (T *)p->C, p->ldc);
    return cudaGetLastError();
}

template <int UNIT, typename SUM> static cudaError_t launch_typed(const gemm_problem *p, cudaStream_t stream) {
    return p->dtype == GEMM_BF16 ? launch<UNIT, __nv_bfloat16, SUM>(p, stream) : launch<UNIT, __half, SUM>(p, stream);
}

template <int UNIT, typename SUM> static gemm_footprint footprint(const gemm_problem *p) {
    return {p->dtype == GEMM_BF16 ? (const void *)tensorcore_units<UNIT, __nv_bfloat16, SUM>
                                  : (const void *)tensorcore_units<UNIT, __half, SUM>,
            THREADS, 0};
}

/* ---- What main.c hands to the harness ---- */
extern "C" {
cudaError_t tensorcore_wmma(const gemm_problem *p, cudaStream_t stream) {
    return launch_typed<UNIT_WMMA, float>(p, stream);
}
cudaError_t tensorcore_wmma_half(const gemm_problem *p, cudaStream_t stream) {
    return launch<UNIT_WMMA, __half, __half>(p, stream);
}
cudaError_t tensorcore_simt(const gemm_problem *p, cudaStream_t stream) {
    return launch_typed<UNIT_SIMT, float>(p, stream);
}
gemm_footprint tensorcore_wmma_footprint(const gemm_problem *p) { return footprint<UNIT_WMMA, float>(p); }
gemm_footprint tensorcore_wmma_half_footprint(const gemm_problem *) {
    return {(const void *)tensorcore_units<UNIT_WMMA, __half, __half>, THREADS, 0};
}
gemm_footprint tensorcore_simt_footprint(const gemm_problem *p) { return footprint<UNIT_SIMT, float>(p); }
}

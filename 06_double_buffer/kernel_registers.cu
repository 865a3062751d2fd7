/* 06 double buffering without cp.async: the next piece waits in registers, as on GPUs before sm_80.
 *
 *   kernel_simt.cu's way, for tensor cores: loads for the next piece are asked for before this one is multiplied, and
 * stored into the other of two buffers behind it. What waits costs registers: 32 here, beside 128 sums and 32 for
 * fragments; so the depth of a step is 32, and fragments have one buffer.
 */
#include "gemm.h"
#include "kernel/number.cuh"
#include "kernel/ptx.cuh"

enum { BM = 128, BN = 128, BK = 32, WM = 64, WN = 64, PAD = 8, THREADS = BM / WM * (BN / WN) * 32 };
enum { A_COPIES = BM * BK / 8 / THREADS, B_COPIES = BK * BN / 8 / THREADS };

template <typename T> struct piece { T A[BM][BK + PAD], B[BK][BN + PAD]; };

/* This thread's chunks of the piece that begins at A and B. */
template <typename T>
static __device__ __forceinline__ void load(uint4 (&a)[A_COPIES], uint4 (&b)[B_COPIES], const T *A, int64_t lda,
                                            const T *B, int64_t ldb, int rows, int cols, int depth, bool chunks) {
#pragma unroll
    for (int i = 0; i < A_COPIES; i++) {
        const int e = (threadIdx.x + i * THREADS) * 8;
        a[i] = load8_part(&A[e / BK * lda + e % BK], e / BK < rows ? depth - e % BK : 0, chunks);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; i++) {
        const int e = (threadIdx.x + i * THREADS) * 8;
        b[i] = load8_part(&B[e / BN * ldb + e % BN], e / BN < depth ? cols - e % BN : 0, chunks);
    }
}

template <typename T>
static __device__ __forceinline__ void store(piece<T> &to, const uint4 (&a)[A_COPIES], const uint4 (&b)[B_COPIES]) {
#pragma unroll
    for (int i = 0; i < A_COPIES; i++) {
        const int e = (threadIdx.x + i * THREADS) * 8;
        *(uint4 *)&to.A[e / BK][e % BK] = a[i];
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; i++) {
        const int e = (threadIdx.x + i * THREADS) * 8;
        *(uint4 *)&to.B[e / BN][e % BN] = b[i];
    }
}

template <typename T>
static __global__ void __launch_bounds__(THREADS, 2)
    register_prefetch(int M, int N, int K, float alpha, const T *A, int64_t lda, const T *B, int64_t ldb, float beta,
                      T *C, int64_t ldc) {
    __shared__ __align__(16) piece<T> pieces[2];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN; /* the warp's tile in the block's */
    const int rows = M - blockIdx.y * BM, cols = N - blockIdx.x * BN; /* of C, from this block on */
    const bool chunks = has_chunks(A, lda) && has_chunks(B, ldb), c_chunks = has_chunks(C, ldc);
    float acc[WM / 16][WN / 8][4] = {};
    uint4 a_next[A_COPIES], b_next[B_COPIES];
    A += (int64_t)blockIdx.y * BM * lda, B += blockIdx.x * BN;
    C += (int64_t)blockIdx.y * BM * ldc + blockIdx.x * BN;

    load(a_next, b_next, A, lda, B, ldb, rows, cols, K, chunks);
    store(pieces[0], a_next, b_next);
    __syncthreads();
    for (int k0 = 0, now = 0; k0 < K; k0 += BK, now ^= 1) {
        A += BK, B += BK * ldb;
        if (k0 + BK < K) /* nobody waits for these loads yet */
            load(a_next, b_next, A, lda, B, ldb, rows, cols, K - k0 - BK, chunks);
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            uint32_t a[WM / 16][4], b[WN / 16][4];
#pragma unroll
            for (int i = 0; i < WM / 16; i++)
                ldmatrix_x4(a[i], &pieces[now].A[wm + i * 16 + lane % 16][k + lane / 16 * 8]);
#pragma unroll
            for (int j = 0; j < WN / 16; j++)
                ldmatrix_x4_trans(b[j], &pieces[now].B[k + lane % 16][wn + j * 16 + lane / 16 * 8]);
#pragma unroll
            for (int j = 0; j < WN / 8; j++)
#pragma unroll
                for (int step = 0; step < WM / 16; step++) {
                    const int i = j % 2 ? WM / 16 - 1 - step : step;
                    mma_16x8x16(acc[i][j], a[i], {b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]}, T());
                }
        }
        if (k0 + BK < K)
            store(pieces[now ^ 1], a_next, b_next);
        __syncthreads(); /* the other buffer is full, and this one used up */
    }

    /* ---- Write-back, as in kernel.cu ---- */
    T(*const out)[WN + 8] = (T(*)[WN + 8]) pieces + warp * WM;
    C += wm * ldc + wn;
    for (int e = lane * 8; e < WM * WN && beta != 0.0f; e += 32 * 8)
        *(uint4 *)&out[e / WN][e % WN] =
            load8_part(&C[e / WN * ldc + e % WN], wm + e / WN < rows ? cols - wn - e % WN : 0, c_chunks);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
        for (int j = 0; j < WN / 8; j++)
            for (int h = 0; h < 2; h++) {
                T *const c = &out[i * 16 + lane / 4 + h * 8][j * 8 + lane % 4 * 2];
                float2 old = {};
                if (beta != 0.0f)
                    old = load2(c), old = {beta * old.x, beta * old.y};
                store2({alpha * acc[i][j][2 * h] + old.x, alpha * acc[i][j][2 * h + 1] + old.y}, c);
            }
    __syncwarp();
#pragma unroll 1
    for (int e = lane * 8; e < WM * WN; e += 32 * 8)
        store8_part(*(const uint4 *)&out[e / WN][e % WN], &C[e / WN * ldc + e % WN],
                    wm + e / WN < rows ? cols - wn - e % WN : 0, c_chunks);
}

/* ---- Launch: one block for each BM x BN piece of C ---- */
template <typename T> static cudaError_t launch(const gemm_problem *p, cudaStream_t stream) {
    static_assert(sizeof(piece<T>) * 2 >= sizeof(T) * BM * (BN / WN) * (WN + 8), "the write-back takes the same room");
    if (p->M == 0 || p->N == 0)
        return cudaSuccess; /* an empty grid would be an error */
    const unsigned rows = (unsigned)((p->M + BM - 1) / BM), cols = (unsigned)((p->N + BN - 1) / BN);
    const int K = p->alpha == 0.0f ? 0 : (int)p->K; /* alpha == 0 must not read A and B */
    register_prefetch<T><<<dim3(cols, rows), THREADS, 0, stream>>>((int)p->M, (int)p->N, K, p->alpha, (const T *)p->A,
                                                                   p->lda, (const T *)p->B, p->ldb, p->beta, (T *)p->C,
                                                                   p->ldc);
    return cudaGetLastError();
}

extern "C" {
cudaError_t double_buffer_registers(const gemm_problem *p, cudaStream_t stream) {
    return p->dtype == GEMM_BF16 ? launch<__nv_bfloat16>(p, stream) : launch<__half>(p, stream);
}
gemm_footprint double_buffer_registers_footprint(const gemm_problem *p) {
    return {p->dtype == GEMM_BF16 ? (const void *)register_prefetch<__nv_bfloat16>
                                  : (const void *)register_prefetch<__half>,
            THREADS, 0};
}
}

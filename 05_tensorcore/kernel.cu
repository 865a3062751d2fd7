/* 05 tensor cores: the warp multiplies, not the thread.
 *
 *   One mma.sync multiplies a 16 x 16 piece of A by a 16 x 8 piece of B: 2048 multiply-adds, for which FP32 cores
 * need 64 instructions of a warp. It reads halves and adds in float: compute low, accumulate high. What changes:
 *
 *   - Each lane holds a few elements of each piece, a *fragment*, in an order that the instruction fixes
 *     (kernel/ptx.cuh). ldmatrix fetches four 8 x 8 pieces from shared memory and deals them out in just that order.
 *   - Shared memory keeps 16-bit elements as they are, in chunks of eight. A warp has 64 x 64 of C: for a depth of
 *     16, 4 + 4 ldmatrix feed 32 mma.sync.
 *   - PAD elements widen the rows, so that the eight rows that ldmatrix reads at once lie in different banks.
 *   - A fragment of C is two neighbours in each of two rows; through shared memory the warp makes chunks of them.
 *   - A copy's address is one base for all threads and 32 bits of this thread: 64-bit addresses would take 37
 *     registers. Rows past the last one are read as the last one: what becomes of them is never stored.
 *
 *   mma     all of it; configurations: rows x columns of C of a block, depth of a step
 *   pad0    rows not widened: the eight rows of a piece meet in the same four banks
 */
// Alone: nvcc -O3 -arch=native -Icommon 05*/kernel*.cu 05*/*.c common/*.c -lcublas -ldl -lpthread -o tensorcore
#include "gemm.h"
#include "kernel/number.cuh"
#include "kernel/ptx.cuh"
#include "kernel/tile.cuh"

/* What is in shared memory for one step. */
template <typename T, int BM, int BN, int BK, int PAD> struct piece { T A[BM][BK + PAD], B[BK][BN + PAD]; };

/* A warp's fragments for depth k: four words for each 16 x 16 piece, where a_at and b_at tell where this lane's rows
 * are, in bytes. */
template <int MI, int NI, typename T, int BM, int BN, int BK, int PAD>
static __device__ __forceinline__ void fetch(uint32_t (&a)[MI][4], uint32_t (&b)[NI][4],
                                             const piece<T, BM, BN, BK, PAD> &from, uint32_t a_at, uint32_t b_at,
                                             int k) {
#pragma unroll
    for (int j = 0; j < NI; j++)
        ldmatrix_x4_trans(b[j], (const char *)&from.B[k][j * 16] + b_at);
#pragma unroll
    for (int i = 0; i < MI; i++)
        ldmatrix_x4(a[i], (const char *)&from.A[i * 16][k] + a_at);
}

/* acc += a * b, down and up the columns of pieces: a product shares an operand with the last. */
template <typename T, int MI, int NI>
static __device__ __forceinline__ void multiply(float (&acc)[MI][2 * NI][4], const uint32_t (&a)[MI][4],
                                                const uint32_t (&b)[NI][4]) {
#pragma unroll
    for (int j = 0; j < 2 * NI; j++)
#pragma unroll
        for (int step = 0; step < MI; step++) {
            const int i = j % 2 ? MI - 1 - step : step;
            mma_16x8x16(acc[i][j], a[i], {b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]}, T());
        }
}

#define THREADS (BM / WM * (BN / WN) * 32)

/* Shared memory of a block, in bytes. */
template <typename T, int BM, int BN, int BK, int WM, int WN, int PAD> static constexpr size_t smem_bytes() {
    return max(sizeof(piece<T, BM, BN, BK, PAD>), sizeof(T) * BM * (BN / WN) * (WN + 8));
}

/* As many blocks a multiprocessor as leave each thread 255 registers. */
template <typename T, int BM, int BN, int BK, int WM, int WN, int PAD>
__global__ void __launch_bounds__(THREADS, 256 / THREADS)
    tensorcore(int M, int N, int K, float alpha, const T *A, int64_t lda, const T *B, int64_t ldb, float beta, T *C,
               int64_t ldc) {
    constexpr int A_ROWS = THREADS / (BK / 8), B_ROWS = THREADS / (BN / 8); /* that the block copies at once */
    static_assert(sizeof(T) == 2, "chunks, fragments and mma.sync are written for elements of 16 bits");
    static_assert(BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 16 == 0 && BK % 16 == 0,
                  "warps divide the block's tile, pieces of 16 x 16 the warp's; steps of 16 the depth");
    static_assert(BM % A_ROWS == 0 && BK % B_ROWS == 0, "all threads copy equally many chunks");
    static_assert(PAD % 8 == 0, "PAD must be a multiple of 8: ldmatrix reads 16 bytes from multiples of 16");
    extern __shared__ __align__(1024) unsigned char smem[];
    piece<T, BM, BN, BK, PAD> *const tile = (piece<T, BM, BN, BK, PAD> *)smem;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN; /* the warp's tile in the block's */
    const int rows = M - blockIdx.y * BM, cols = N - blockIdx.x * BN; /* of C, from this block on */
    const bool chunks = has_chunks(A, lda) && has_chunks(B, ldb) && (cols >= BN || cols % 8 == 0);
    const int whole = chunks ? K / BK : 0; /* pieces that come in chunks */
    float acc[WM / 16][WN / 8][4] = {};
    uint32_t a[WM / 16][4], b[WN / 16][4];
    const uint32_t a_at = ((wm + lane % 16) * (BK + PAD) + lane / 16 * 8) * sizeof(T);
    const uint32_t b_at = (lane % 16 * (BN + PAD) + wn + lane / 16 * 8) * sizeof(T);
    A += (int64_t)blockIdx.y * BM * lda, B += blockIdx.x * BN;
    C += (int64_t)blockIdx.y * BM * ldc + blockIdx.x * BN;
    uint32_t a_from[BM / A_ROWS], b_from[BK / B_ROWS]; /* where this thread's chunks are, in bytes from A and B on */
    for (int i = 0; i < BM / A_ROWS; i++) /* past the last row: the last one, whose products are then not stored */
        a_from[i] = (min(t / (BK / 8) + i * A_ROWS, rows - 1) * (uint32_t)lda + t % (BK / 8) * 8) * sizeof(T);
    for (int i = 0; i < BK / B_ROWS; i++)
        b_from[i] = ((t / (BN / 8) + i * B_ROWS) * (uint32_t)ldb + min(t % (BN / 8) * 8, cols - 8)) * sizeof(T);

    for (int i = 0; i < whole; i++, A += BK, B += BK * ldb) {
        /* ---- Stage: by chunks, all loads before the first store ---- */
        uint4 a_copy[BM / A_ROWS], b_copy[BK / B_ROWS];
        for (int i = 0; i < BM / A_ROWS; i++)
            a_copy[i] = *(const uint4 *)((const char *)A + a_from[i]);
        for (int i = 0; i < BK / B_ROWS; i++)
            b_copy[i] = *(const uint4 *)((const char *)B + b_from[i]);
        for (int i = 0; i < BM / A_ROWS; i++)
            *(uint4 *)&tile->A[t / (BK / 8) + i * A_ROWS][t % (BK / 8) * 8] = a_copy[i];
        for (int i = 0; i < BK / B_ROWS; i++)
            *(uint4 *)&tile->B[t / (BN / 8) + i * B_ROWS][t % (BN / 8) * 8] = b_copy[i];
        __syncthreads(); /* nobody reads before everybody has written */

        /* ---- Inner product: WM / 16 + WN / 16 ldmatrix for WM / 16 * WN / 8 mma.sync ---- */
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            fetch(a, b, *tile, a_at, b_at, k);
            multiply<T>(acc, a, b);
        }
        __syncthreads(); /* nobody overwrites before everybody has read */
    }

    /* ---- The slow way, for what is left of K ---- */
    for (int k0 = whole * BK; k0 < K; k0 += BK, A += BK, B += BK * ldb) {
        __syncthreads(); /* nobody overwrites before everybody has read */
#pragma unroll 1
        for (int e = t * 8; e < BM * BK; e += THREADS * 8)
            *(uint4 *)&tile->A[e / BK][e % BK] =
                load8_part(&A[e / BK * lda + e % BK], e / BK < rows ? K - k0 - e % BK : 0, chunks);
#pragma unroll 1
        for (int e = t * 8; e < BK * BN; e += THREADS * 8)
            *(uint4 *)&tile->B[e / BN][e % BN] =
                load8_part(&B[e / BN * ldb + e % BN], k0 + e / BN < K ? cols - e % BN : 0, chunks);
        __syncthreads(); /* nobody reads before everybody has written */
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            fetch(a, b, *tile, a_at, b_at, k);
            multiply<T>(acc, a, b);
        }
    }

    /* ---- Write-back: lanes put pairs into the warp's tile of shared memory, and take chunks ---- */
    __syncthreads();
    T(*const out)[WN + 8] = (T(*)[WN + 8]) smem + warp * WM;
    const bool c_chunks = has_chunks(C, ldc);
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

/* ---- Launch: one block for each BM x BN piece of C; with `footprint`, only tells what it would ask for ---- */
template <typename T, int BM, int BN, int BK, int WM, int WN, int... VARIANT>
static cudaError_t run(const gemm_problem *p, cudaStream_t stream, gemm_footprint *footprint) {
    const auto kernel = tensorcore<T, BM, BN, BK, WM, WN, VARIANT...>;
    const size_t smem = smem_bytes<T, BM, BN, BK, WM, WN, VARIANT...>();
    if (footprint) {
        *footprint = {(const void *)kernel, THREADS, smem};
        return cudaSuccess;
    }
    if (p->M == 0 || p->N == 0)
        return cudaSuccess; /* an empty grid would be an error */
    const unsigned rows = (unsigned)((p->M + BM - 1) / BM), cols = (unsigned)((p->N + BN - 1) / BN);
    const int K = p->alpha == 0.0f ? 0 : (int)p->K; /* alpha == 0 must not read A and B */
    const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)smem);
    if (error != cudaSuccess)
        return error;
    kernel<<<dim3(cols, rows), THREADS, smem, stream>>>((int)p->M, (int)p->N, K, p->alpha, (const T *)p->A, p->lda,
                                                        (const T *)p->B, p->ldb, p->beta, (T *)p->C, p->ldc);
    return cudaGetLastError();
}

/* ---- Configurations, as main.c names them: the block's tile, the depth of a step, the warp's tile ---- */
template <typename T, int... VARIANT>
static cudaError_t launch(const gemm_problem *p, cudaStream_t stream, gemm_footprint *footprint) {
    static const gemm_tile tiles[] = {{128, 128, 100, smem_bytes<T, 128, 128, 64, 64, 64, VARIANT...>()},
                                      {64, 64, 155, smem_bytes<T, 64, 64, 64, 32, 32, VARIANT...>()}};
    switch (choose_tile(p, tiles, 2)) {
    case 1:
        return run<T, 128, 128, 64, 64, 64, VARIANT...>(p, stream, footprint);
    default:
        return run<T, 64, 64, 64, 32, 32, VARIANT...>(p, stream, footprint);
    }
}

template <int... VARIANT>
static cudaError_t launch_typed(const gemm_problem *p, cudaStream_t stream, gemm_footprint *footprint) {
    return p->dtype == GEMM_BF16 ? launch<__nv_bfloat16, VARIANT...>(p, stream, footprint)
                                 : launch<__half, VARIANT...>(p, stream, footprint);
}

/* ---- What main.c hands to the harness ---- */
GEMM_KERNEL(tensorcore_mma, 8)
GEMM_KERNEL(tensorcore_pad0, 0)

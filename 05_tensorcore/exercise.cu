/* Exercise 05: the warp multiplies, not the thread.
 *
 *   A block has BM x BN of C, 128 x 128 where the problem is large, and a warp WM x WN of it, 64 x 64; steps of BK = 64
 * along K. Shared memory keeps A and B as they are, in rows that PAD elements widen. One mma.sync multiplies a 16 x 16
 * piece of A by a 16 x 8 piece of B; kernel/ptx.cuh tells which lane holds what. Staging, the border and the way back
 * to C are there.
 *
 * Fill in the regions marked TODO. Left empty they compile and give a wrong result, and the driver says where. Try it
 * with
 *
 *   cmake --build --preset cpu --target 05_tensorcore_exercise
 *   build/cpu/exercise/05_tensorcore --kernel mma --m 16 --n 8 --k 16
 *   build/cpu/exercise/05_tensorcore --kernel mma --m 64 --n 64 --k 64 --config 64x64x64 --init integers
 *   build/cpu/exercise/05_tensorcore --kernel mma,pad0 --m 129 --n 257 --k 65 --dtype f16,bf16
 *   build/cpu/exercise/05_tensorcore --kernel mma,pad0 --m 130 --n 264 --k 200 --dtype f16,bf16 --config all
 *   build/cpu/exercise/05_tensorcore --kernel mma --m 65 --n 17 --k 300 --alpha 0.5 --beta 2 --ldb 20 --ldc 29
 *
 * All three TODOs are needed before any line passes; the first line is a single mma.sync, as far as its result goes. On
 * a GPU say gpu for cpu. When every line says PASS, with --sanitize too, the result is right; whether rows meet in one
 * bank ./ladder grade 05 says, which marks mma. kernel.cu is one solution.
 */
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
    /* TODO 1: the fragments of B by ldmatrix_x4_trans, those of A by ldmatrix_x4. Piece i of A begins at row i * 16,
     * column k of from.A; piece j of B, 16 x 16, at row k, column j * 16 of from.B. From there it is a_at or b_at bytes
     * to the row whose address this lane gives. */
    (void)from, (void)a_at, (void)b_at, (void)k;
    for (int w = 0; w < 4 * MI; w++)
        a[w / 4][w % 4] = 0;
    for (int w = 0; w < 4 * NI; w++)
        b[w / 4][w % 4] = 0;
}

/* acc += a * b, down and up the columns of pieces: a product shares an operand with the last. */
template <typename T, int MI, int NI>
static __device__ __forceinline__ void multiply(float (&acc)[MI][2 * NI][4], const uint32_t (&a)[MI][4],
                                                const uint32_t (&b)[NI][4]) {
    /* TODO 2: multiply each piece of A with each of B by mma_16x8x16, whose last argument, T(), tells the type. A piece
     * of b is 16 columns wide and mma.sync takes 8: words 0 and 1 of b[j] are the left half, 2 and 3 the right one, for
     * acc[i][2 * j] and acc[i][2 * j + 1]. acc must stay in registers: unroll the loops. */
    (void)acc, (void)a, (void)b;
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
    /* TODO 3: where the row of eight elements is whose address this lane gives to ldmatrix, in bytes from the beginning
     * of tile->A, of tile->B. The warp's tile begins at row wm of A, at column wn of B. Lanes 0 to 7 give the rows of
     * the first of four 8 x 8 matrices, which comes into word 0, lanes 8 to 15 those of the second, and so on; which of
     * a piece's four must be the second, which the third? */
    const uint32_t a_at = 0, b_at = 0;
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

/* Exercise 04: a layout in which no lane waits for another.
 *
 *   64 x 128 of C a block of four warps, in steps of BK = 32 along K; a lane has rows m0 .. m0+3 and m0+16 .. m0+19,
 * columns n0 .. n0+3 and n0+32 .. n0+35. As is transposed. What lies at the border is staged for you.
 *
 * Fill in the regions marked TODO. Left empty they compile and give a wrong result, and the driver says where. Try it
 * with
 *
 *   cmake --build --preset cpu --target 04_bank_padding_exercise
 *   build/cpu/exercise/04_bank_padding --m 65 --n 33 --k 40
 *   build/cpu/exercise/04_bank_padding --m 129 --n 257 --k 65 --dtype f32,f16
 *   build/cpu/exercise/04_bank_padding --m 130 --n 260 --k 68 --dtype f32,f16
 *   build/cpu/exercise/04_bank_padding --m 65 --n 17 --k 300 --alpha 0.5 --beta 2 --lda 303 --ldb 20 --ldc 29
 *   build/cpu/exercise/04_bank_padding --size 256
 *
 * The first, second and fourth line need only TODO 1 and 3: all of their pieces are at the border, or their rows do not
 * start on 16 bytes. On a GPU say gpu for cpu. When every line says PASS, with --sanitize too, the result is right;
 * whether lanes wait for each other ./ladder grade 04 says, which marks pad4, and on a GPU the ncu command of
 * README.md, with build/gpu/exercise: wavefronts / loads must be 2.
 * And
 *
 *   nvcc -O3 -arch=sm_90a -Icommon -Xptxas -v -cubin -o /dev/null 04_bank_padding/exercise.cu
 *
 * must show no stack frame: 128 registers are tight. kernel.cu is one solution.
 */
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
    __shared__ __align__(16) float As[BK][BM + PAD]; /* transposed */
    __shared__ __align__(16) float Bs[BK][BN];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    /* TODO 1: the place of the lane among the warp's 4 x 8, lane_m in 0 .. 3 and lane_n in 0 .. 7. The 32 lanes must
     * take 32 different places (left at 0, all write the same elements). Without PAIRED, lane / 8 and lane % 8: right,
     * but a load from Bs takes four wavefronts. With PAIRED arrange them so that lanes that differ in bit 0 share
     * lane_n, and lanes that differ in bit 1 share lane_m. */
    const int lane_m = 0, lane_n = 0;
    (void)lane;
    const int m0 = warp / 2 * 32 + lane_m * 4;                        /* and the rows from m0 + 16 on */
    const int n0 = warp % 2 * 64 + lane_n * 4;                        /* and the columns from n0 + 32 on */
    const int rows = M - blockIdx.y * BM, cols = N - blockIdx.x * BN; /* of C, from this block on */
    const bool aligned = aligned4(A, lda) && aligned4(B, ldb) && aligned4(C, ldc);
    float acc[TM][TN] = {};
    A += (int64_t)blockIdx.y * BM * lda, B += blockIdx.x * BN;
    C += (int64_t)blockIdx.y * BM * ldc + blockIdx.x * BN;

    for (int k0 = 0; k0 < K; k0 += BK, A += BK, B += BK * ldb) {
        /* ---- Stage: first A, then B, a register for every load under way; only the border tests ---- */
        const bool inside = rows >= BM && cols >= BN && K - k0 >= BK && aligned;
        if (inside) {
            /* TODO 2: the piece is whole, and aligned for load4 and store4. Copy A[0 .. BM-1][0 .. BK-1] into As, four
             * elements of a row at a time: As[k][m], As[k+1][m], ... Which lanes take which rows and columns, so that
             * no two of a warp store to one bank? Then B[0 .. BK-1][0 .. BN-1] into Bs, a warp a row. */
            As[t % BK][t % BM] = Bs[t % BK][t % BN] = 0.0f;
        } else {
#pragma unroll 1
            for (int e = t; e < BM * BK; e += THREADS)
                As[e % BK][e / BK] = e / BK < rows && k0 + e % BK < K ? to_float(A[e / BK * lda + e % BK]) : 0.0f;
#pragma unroll 1
            for (int e = t; e < BK * BN; e += THREADS)
                Bs[e / BN][e % BN] = k0 + e / BN < K && e % BN < cols ? to_float(B[e / BN * ldb + e % BN]) : 0.0f;
        }
        __syncthreads(); /* nobody reads before everybody has written */

        /* TODO 3: for each k, load the lane's eight values of As[k] and its eight of Bs[k], four at a time, and
         * multiply each with each into acc, down one column of the tile and up the next. */
        (void)As, (void)Bs;

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

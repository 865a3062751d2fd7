/* 07 swizzled layout: no bank conflicts without padding, and blocks that share data run together.
 *
 *   The eight rows that ldmatrix reads at once must lie in different banks. 06 widens rows by 16 bytes; then every 128
 * bytes of a row lie across two lines of 128, and cp.async, which goes past L1 in sectors of 32 bytes, asks L2 for many
 * of them twice.
 *
 *   - Swizzle: a row stays as it is, and its chunks of 16 bytes change places inside 128: chunk c of row r is put at
 *     c XOR r % 8. What stands in one column, row by row, is then spread over all eight places, that is over all 32
 * banks.
 *   - Block order: blocks start in the order of their numbers. Row by row of tiles, the blocks that run at one time
 * need few rows of A and all of B; in strips of 16 rows of tiles they need about as much of both, less in all, and L2
 * has it.
 *
 *   swizzle         all of it; configurations: rows x columns of C of a block, depth of a step
 *   row_by_row      blocks in the order of 06
 *   unswizzled      chunks where they were: the eight rows of a piece meet in the same four banks
 *   wrong_swizzle   c XOR r / 8 % 8: the results are right, and the eight rows still meet
 */
// Alone: nvcc -O3 -arch=native -Icommon 07*/kernel.cu 07*/*.c common/*.c -lcublas -ldl -lpthread -o swizzle_layout
#include "gemm.h"
#include "kernel/number.cuh"
#include "kernel/ptx.cuh"
#include "kernel/tile.cuh"

enum { NONE, BY_ROW, BY_EIGHT_ROWS }; /* swizzles */

/* Where in its row the chunk is put that begins at `col`. */
template <int SWIZZLE> static __device__ __forceinline__ int place(int row, int col) {
    return SWIZZLE == BY_ROW ? col ^ (row & 7) * 8 : SWIZZLE == BY_EIGHT_ROWS ? col ^ (row >> 3 & 7) * 8 : col;
}

/* A warp's fragments of As and Bs at depth k: four words for each 16 x 16 piece. */
template <int SWIZZLE, int MI, int NI, typename T, int BM, int BN, int BK>
static __device__ __forceinline__ void fetch(uint32_t (&a)[MI][4], uint32_t (&b)[NI][4], const T (&As)[BM][BK],
                                             const T (&Bs)[BK][BN], int wm, int wn, int k) {
    const int lane_row = threadIdx.x % 16, lane_col = threadIdx.x % 32 / 16 * 8; /* of a piece */
#pragma unroll
    for (int i = 0; i < MI; i++) {
        const int row = wm + i * 16 + lane_row, col = k + lane_col;
        ldmatrix_x4(a[i], &As[row][place<SWIZZLE>(row, col)]);
    }
#pragma unroll
    for (int j = 0; j < NI; j++) {
        const int row = k + lane_row, col = wn + j * 16 + lane_col;
        ldmatrix_x4_trans(b[j], &Bs[row][place<SWIZZLE>(row, col)]);
    }
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

/* Asks for one piece of A and of B, in chunks; a_from and b_from tell where this thread's come from, in bytes. */
template <int SWIZZLE, typename T, int BM, int BN, int BK, int A_COPIES, int B_COPIES>
static __device__ __forceinline__ void ask(T (&As)[BM][BK], T (&Bs)[BK][BN], const T *A, const T *B,
                                           const uint32_t (&a_from)[A_COPIES], const uint32_t (&b_from)[B_COPIES]) {
    const int t = threadIdx.x;
#pragma unroll
    for (int i = 0; i < A_COPIES; i++) {
        const int row = t / (BK / 8) + i * (BM / A_COPIES), col = t % (BK / 8) * 8;
        cp_async_16(&As[row][place<SWIZZLE>(row, col)], (const char *)A + a_from[i]);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; i++) {
        const int row = t / (BN / 8) + i * (BK / B_COPIES), col = t % (BN / 8) * 8;
        cp_async_16(&Bs[row][place<SWIZZLE>(row, col)], (const char *)B + b_from[i]);
    }
}

#define THREADS (BM / WM * (BN / WN) * 32)
#define SMEM(BM, BN, BK, STAGES) ((size_t)(STAGES) * ((BM) * (BK) + (BK) * (BN)) * 2) /* bytes */

/* As many blocks a multiprocessor as leave each thread 255 registers. */
template <typename T, int BM, int BN, int BK, int WM, int WN, int STAGES, int SWIZZLE, int STRIP>
__global__ void __launch_bounds__(THREADS, 256 / THREADS)
    swizzle_layout(int M, int N, int K, float alpha, const T *A, int64_t lda, const T *B, int64_t ldb, float beta, T *C,
                   int64_t ldc) {
    constexpr int A_ROWS = THREADS / (BK / 8), B_ROWS = THREADS / (BN / 8); /* that the block copies at once */
    static_assert(sizeof(T) == 2, "chunks, fragments and mma.sync are written for elements of 16 bits");
    static_assert(BK % 64 == 0 && BN % 64 == 0, "chunks change places within 128 bytes");
    static_assert(BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 16 == 0 && BK % 32 == 0,
                  "warps divide the block's tile, pieces of 16 x 16 the warp's; steps of 16 come in pairs");
    static_assert(BM % A_ROWS == 0 && BK % B_ROWS == 0, "all threads copy equally many chunks");
    static_assert(STAGES >= 2, "one piece is multiplied while another comes");
    extern __shared__ __align__(1024) unsigned char smem[];
    T(*const As)[BM][BK] = (T(*)[BM][BK])smem;
    T(*const Bs)[BK][BN] = (T(*)[BK][BN])(As + STAGES);
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN; /* the warp's tile in the block's */
    /* ---- Which tile is this block's: down the strip's rows, then on to the next column ---- */
    const int tiles_m = (M + BM - 1) / BM, tiles_n = (N + BN - 1) / BN, strip = blockIdx.x / (STRIP * tiles_n);
    const int in_strip = blockIdx.x % (STRIP * tiles_n), height = min(STRIP, tiles_m - strip * STRIP);
    const int tile_m = strip * STRIP + in_strip % height, tile_n = in_strip / height;
    const int rows = M - tile_m * BM, cols = N - tile_n * BN; /* of C, from this block on */
    const bool chunks = has_chunks(A, lda) && has_chunks(B, ldb) && (cols >= BN || cols % 8 == 0);
    const int whole = chunks ? K / BK : 0; /* pieces that are copied by chunks */
    float acc[WM / 16][WN / 8][4] = {};
    uint32_t a[2][WM / 16][4], b[2][WN / 16][4], a_from[BM / A_ROWS], b_from[BK / B_ROWS];
    A += (int64_t)tile_m * BM * lda, B += tile_n * BN;
    C += (int64_t)tile_m * BM * ldc + tile_n * BN;
    for (int i = 0; i < BM / A_ROWS; i++) /* rows past the last one are read as the last one, and not stored */
        a_from[i] = (min(t / (BK / 8) + i * A_ROWS, rows - 1) * (uint32_t)lda + t % (BK / 8) * 8) * sizeof(T);
    for (int i = 0; i < BK / B_ROWS; i++)
        b_from[i] = ((t / (BN / 8) + i * B_ROWS) * (uint32_t)ldb + min(t % (BN / 8) * 8, cols - 8)) * sizeof(T);

    /* ---- Prologue: all pieces of the ring but one are asked for ---- */
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < whole)
            ask<SWIZZLE>(As[i], Bs[i], A + i * BK, B + i * BK * ldb, a_from, b_from);
        cp_async_commit();
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    if (whole > 0)
        fetch<SWIZZLE>(a[0], b[0], As[0], Bs[0], wm, wn, 0);

    /* ---- Main loop: `now` is the place of piece i in the ring ---- */
    for (int i = 0, now = 0; i < whole; i++) {
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            if (k == BK - 16) { /* the last step's fragments are here: the next piece's turn */
                cp_async_wait<STAGES - 2>();
                __syncthreads();
                now = now == STAGES - 1 ? 0 : now + 1;
            }
            if (k < BK - 16 || i + 1 < whole)
                fetch<SWIZZLE>(a[(k / 16 + 1) % 2], b[(k / 16 + 1) % 2], As[now], Bs[now], wm, wn, (k + 16) % BK);
            if (k == 0) { /* into the place of the piece before, which everybody is through with */
                const int place = now == 0 ? STAGES - 1 : now - 1, next = i + STAGES - 1;
                if (next < whole)
                    ask<SWIZZLE>(As[place], Bs[place], A + next * BK, B + next * BK * ldb, a_from, b_from);
                cp_async_commit();
            }
            multiply<T>(acc, a[k / 16 % 2], b[k / 16 % 2]);
        }
    }

    /* ---- The slow way, for whatever is left of K ---- */
    for (int k0 = whole * BK; k0 < K; k0 += BK) {
        __syncthreads(); /* nobody overwrites before everybody has read */
#pragma unroll 1
        for (int e = t * 8; e < BM * BK; e += THREADS * 8)
            *(uint4 *)&As[0][e / BK][place<SWIZZLE>(e / BK, e % BK)] =
                load8_part(&A[e / BK * lda + k0 + e % BK], e / BK < rows ? K - k0 - e % BK : 0, chunks);
#pragma unroll 1
        for (int e = t * 8; e < BK * BN; e += THREADS * 8)
            *(uint4 *)&Bs[0][e / BN][place<SWIZZLE>(e / BN, e % BN)] =
                load8_part(&B[(k0 + e / BN) * ldb + e % BN], k0 + e / BN < K ? cols - e % BN : 0, chunks);
        __syncthreads(); /* nobody reads before everybody has written */
#pragma unroll 1
        for (int k = 0; k < BK; k += 16) {
            fetch<SWIZZLE>(a[0], b[0], As[0], Bs[0], wm, wn, k);
            multiply<T>(acc, a[0], b[0]);
        }
    }

    /* ---- Write-back, 16 rows at a time: lanes put pairs into the warp's band of shared memory and take chunks ----
     */
    __syncthreads();
    T(*const band)[WN + 8] = (T(*)[WN + 8]) smem + warp * 16;
    const bool c_chunks = has_chunks(C, ldc);
#pragma unroll
    for (int i = 0; i < WM / 16; i++) {
        for (int e = lane * 8; e < 16 * WN && beta != 0.0f; e += 32 * 8) {
            const int m = wm + i * 16 + e / WN, n = wn + e % WN;
            *(uint4 *)&band[e / WN][e % WN] = load8_part(&C[m * ldc + n], m < rows ? cols - n : 0, c_chunks);
        }
        __syncwarp();
#pragma unroll
        for (int j = 0; j < WN / 8; j++)
            for (int h = 0; h < 2; h++) {
                T *const c = &band[lane / 4 + h * 8][j * 8 + lane % 4 * 2];
                const float2 old = beta == 0.0f ? float2{0.0f, 0.0f} : load2(c);
                store2({alpha * acc[i][j][2 * h] + beta * old.x, alpha * acc[i][j][2 * h + 1] + beta * old.y}, c);
            }
        __syncwarp();
        for (int e = lane * 8; e < 16 * WN; e += 32 * 8) {
            const int m = wm + i * 16 + e / WN, n = wn + e % WN;
            store8_part(*(const uint4 *)&band[e / WN][e % WN], &C[m * ldc + n], m < rows ? cols - n : 0, c_chunks);
        }
        __syncwarp();
    }
}

/* ---- Launch: one block for each BM x BN piece of C; or, with `footprint`, what such a launch asks for ---- */
template <typename T, int BM, int BN, int BK, int WM, int WN, int STAGES, int SWIZZLE, int STRIP>
static cudaError_t run(const gemm_problem *p, cudaStream_t stream, gemm_footprint *footprint) {
    const auto kernel = swizzle_layout<T, BM, BN, BK, WM, WN, STAGES, SWIZZLE, STRIP>;
    const size_t smem = SMEM(BM, BN, BK, STAGES);
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
    kernel<<<rows * cols, THREADS, smem, stream>>>((int)p->M, (int)p->N, K, p->alpha, (const T *)p->A, p->lda,
                                                   (const T *)p->B, p->ldb, p->beta, (T *)p->C, p->ldc);
    return cudaGetLastError();
}

/* ---- Configurations, as main.c names them: block tile, depth, warp tile ---- */
template <typename T, int STAGES, int SWIZZLE, int STRIP>
static cudaError_t launch(const gemm_problem *p, cudaStream_t stream, gemm_footprint *footprint) {
    static const gemm_tile tiles[] = {{128, 256, SMEM(128, 256, 64, STAGES)},
                                      {128, 128, SMEM(128, 128, 64, STAGES)},
                                      {64, 64, SMEM(64, 64, 64, STAGES)}};
    switch (choose_tile(p, tiles, 3)) {
    case 1:
        return run<T, 128, 256, 64, 64, 64, STAGES, SWIZZLE, STRIP>(p, stream, footprint);
    case 2:
        return run<T, 128, 128, 64, 64, 64, STAGES, SWIZZLE, STRIP>(p, stream, footprint);
    default:
        return run<T, 64, 64, 64, 32, 32, STAGES, SWIZZLE, STRIP>(p, stream, footprint);
    }
}

template <int STAGES, int SWIZZLE, int STRIP>
static cudaError_t launch_typed(const gemm_problem *p, cudaStream_t stream, gemm_footprint *footprint = NULL) {
    return p->dtype == GEMM_BF16 ? launch<__nv_bfloat16, STAGES, SWIZZLE, STRIP>(p, stream, footprint)
                                 : launch<__half, STAGES, SWIZZLE, STRIP>(p, stream, footprint);
}

template <int STAGES, int SWIZZLE, int STRIP> static gemm_footprint footprint(const gemm_problem *p) {
    gemm_footprint result = {};
    launch_typed<STAGES, SWIZZLE, STRIP>(p, NULL, &result);
    return result;
}

/* ---- What main.c hands to the harness ---- */
extern "C" {
cudaError_t swizzle_layout_swizzle(const gemm_problem *p, cudaStream_t stream) {
    return launch_typed<3, BY_ROW, 16>(p, stream);
}
cudaError_t swizzle_layout_row_by_row(const gemm_problem *p, cudaStream_t stream) {
    return launch_typed<3, BY_ROW, 1>(p, stream);
}
cudaError_t swizzle_layout_unswizzled(const gemm_problem *p, cudaStream_t stream) {
    return launch_typed<3, NONE, 16>(p, stream);
}
cudaError_t swizzle_layout_wrong_swizzle(const gemm_problem *p, cudaStream_t stream) {
    return launch_typed<3, BY_EIGHT_ROWS, 16>(p, stream);
}
gemm_footprint swizzle_layout_swizzle_footprint(const gemm_problem *p) { return footprint<3, BY_ROW, 16>(p); }
gemm_footprint swizzle_layout_row_by_row_footprint(const gemm_problem *p) { return footprint<3, BY_ROW, 1>(p); }
gemm_footprint swizzle_layout_unswizzled_footprint(const gemm_problem *p) { return footprint<3, NONE, 16>(p); }
gemm_footprint swizzle_layout_wrong_swizzle_footprint(const gemm_problem *p) {
    return footprint<3, BY_EIGHT_ROWS, 16>(p);
}
}

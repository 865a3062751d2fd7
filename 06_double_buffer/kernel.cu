/* 06 double buffering: while one piece is multiplied, the next ones are on their way.
 *
 *   05 loads, waits, multiplies, waits. Here shared memory is a ring of STAGES pieces of A and B. cp.async asks for a
 * copy from global to shared memory, past the registers, and does not wait:
 *
 *   - STAGES - 1 pieces are under way while one is multiplied. A thread's copies for one piece are a *group*: asked
 *     for, then committed, then waited for, in this order; where nothing is left to ask for, an empty group keeps the
 *     count.
 *   - Waiting makes a thread's own copies arrive, the barrier behind it everybody's. The same barrier tells that the
 *     piece before is used up, so that its place may be filled: one barrier a piece, where 05 has two.
 *   - Fragments have two buffers, too: those of the next step are fetched while this step's are multiplied.
 *   - The ring takes more than 48 KiB, which a kernel gets on request, as dynamic shared memory.
 *   - What cannot be copied in chunks of 16 bytes (the last columns of A when K is no multiple of BK, rows that start
 *     at odd places) goes the slow way behind the main loop: through registers, one piece at a time.
 *
 *   stages3     all of it; configurations: rows x columns of C of a block, depth of a step
 *   stages2     one piece under way
 *   stages4     three pieces under way
 *   one_step    fragments with one buffer: fetch, wait, multiply
 */
// Alone: nvcc -O3 -arch=native -Icommon 06*/kernel*.cu 06*/*.c common/*.c -lcublas -ldl -lpthread -o double_buffer
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

/* Asks for a piece in chunks; a_from and b_from tell where this thread's come from, in bytes. */
template <int A_COPIES, int B_COPIES, typename T, int BM, int BN, int BK, int PAD>
static __device__ __forceinline__ void ask(piece<T, BM, BN, BK, PAD> &to, const T *A, const T *B,
                                           const uint32_t (&a_from)[A_COPIES], const uint32_t (&b_from)[B_COPIES]) {
    const int t = threadIdx.x;
#pragma unroll
    for (int i = 0; i < A_COPIES; i++) {
        const int row = t / (BK / 8) + i * (BM / A_COPIES), col = t % (BK / 8) * 8;
        cp_async_16(&to.A[row][col], (const char *)A + a_from[i]);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; i++) {
        const int row = t / (BN / 8) + i * (BK / B_COPIES), col = t % (BN / 8) * 8;
        cp_async_16(&to.B[row][col], (const char *)B + b_from[i]);
    }
}

#define THREADS (BM / WM * (BN / WN) * 32)

/* Shared memory of a block, in bytes. */
template <typename T, int BM, int BN, int BK, int WM, int WN, int PAD, int STAGES, int FRAGMENTS>
static constexpr size_t smem_bytes() {
    return max(sizeof(piece<T, BM, BN, BK, PAD>) * STAGES, sizeof(T) * BM * (BN / WN) * (WN + 8));
}

/* As many blocks a multiprocessor as leave each thread 255 registers. */
template <typename T, int BM, int BN, int BK, int WM, int WN, int PAD, int STAGES, int FRAGMENTS>
__global__ void __launch_bounds__(THREADS, 256 / THREADS)
    double_buffer(int M, int N, int K, float alpha, const T *A, int64_t lda, const T *B, int64_t ldb, float beta, T *C,
                  int64_t ldc) {
    constexpr int A_ROWS = THREADS / (BK / 8), B_ROWS = THREADS / (BN / 8); /* that the block copies at once */
    static_assert(sizeof(T) == 2, "chunks, fragments and mma.sync are written for elements of 16 bits");
    static_assert(BM % WM == 0 && BN % WN == 0 && WM % 16 == 0 && WN % 16 == 0 && BK % 32 == 0,
                  "warps divide the block's tile, pieces of 16 x 16 the warp's; steps of 16 come in pairs");
    static_assert(BM % A_ROWS == 0 && BK % B_ROWS == 0, "all threads copy equally many chunks");
    static_assert(PAD % 8 == 0, "PAD must be a multiple of 8: ldmatrix reads 16 bytes from multiples of 16");
    static_assert(STAGES >= 2, "one piece is multiplied while another comes");
    extern __shared__ __align__(1024) unsigned char smem[];
    piece<T, BM, BN, BK, PAD> *const ring = (piece<T, BM, BN, BK, PAD> *)smem;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN; /* the warp's tile in the block's */
    const int rows = M - blockIdx.y * BM, cols = N - blockIdx.x * BN; /* of C, from this block on */
    const bool chunks = has_chunks(A, lda) && has_chunks(B, ldb) && (cols >= BN || cols % 8 == 0);
    const int whole = chunks ? K / BK : 0; /* pieces that come in chunks */
    float acc[WM / 16][WN / 8][4] = {};
    uint32_t a[FRAGMENTS][WM / 16][4], b[FRAGMENTS][WN / 16][4];
    const uint32_t a_at = ((wm + lane % 16) * (BK + PAD) + lane / 16 * 8) * sizeof(T);
    const uint32_t b_at = (lane % 16 * (BN + PAD) + wn + lane / 16 * 8) * sizeof(T);
    A += (int64_t)blockIdx.y * BM * lda, B += blockIdx.x * BN;
    C += (int64_t)blockIdx.y * BM * ldc + blockIdx.x * BN;
    uint32_t a_from[BM / A_ROWS], b_from[BK / B_ROWS]; /* where this thread's chunks are, in bytes from A and B on */
    for (int i = 0; i < BM / A_ROWS; i++) /* past the last row: the last one, whose products are then not stored */
        a_from[i] = (min(t / (BK / 8) + i * A_ROWS, rows - 1) * (uint32_t)lda + t % (BK / 8) * 8) * sizeof(T);
    for (int i = 0; i < BK / B_ROWS; i++)
        b_from[i] = ((t / (BN / 8) + i * B_ROWS) * (uint32_t)ldb + min(t % (BN / 8) * 8, cols - 8)) * sizeof(T);

    /* ---- Prologue: all pieces of the ring but one are asked for ---- */
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < whole) {
            ask(ring[i], A, B, a_from, b_from);
            A += BK, B += BK * ldb;
        }
        cp_async_commit();
    }
    cp_async_wait<STAGES - 2>();
    __syncthreads();
    if (FRAGMENTS == 2 && whole > 0)
        fetch(a[0], b[0], ring[0], a_at, b_at, 0);

    /* ---- Main loop ---- */
    piece<T, BM, BN, BK, PAD> *now = ring, *before = ring + STAGES - 1;
    for (int i = 0; i < whole; i++) {
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            if (FRAGMENTS == 1)
                fetch(a[0], b[0], *now, a_at, b_at, k);
            if (k == BK - 16) { /* this piece's fragments are all here: the next one's turn, once everybody has it */
                cp_async_wait<STAGES - 2>();
                __syncthreads();
                before = now, now = now == ring + STAGES - 1 ? ring : now + 1;
            }
            /* Of no use behind the last piece, but harmless where the place was filled once: a guard costs 06 1 %. */
            if (FRAGMENTS == 2 && (k < BK - 16 || whole >= STAGES || i + 1 < whole))
                fetch(a[(k / 16 + 1) % 2], b[(k / 16 + 1) % 2], *now, a_at, b_at, (k + 16) % BK);
            if (k == 0) { /* into the place of the piece before, which everybody is through with */
                if (i + STAGES - 1 < whole) {
                    ask(*before, A, B, a_from, b_from);
                    A += BK, B += BK * ldb;
                }
                cp_async_commit();
            }
            multiply<T>(acc, a[k / 16 % FRAGMENTS], b[k / 16 % FRAGMENTS]);
        }
    }

    /* ---- The slow way, for what is left of K ---- */
    for (int k0 = whole * BK; k0 < K; k0 += BK, A += BK, B += BK * ldb) {
        __syncthreads(); /* nobody overwrites before everybody has read */
#pragma unroll 1
        for (int e = t * 8; e < BM * BK; e += THREADS * 8)
            *(uint4 *)&ring->A[e / BK][e % BK] =
                load8_part(&A[e / BK * lda + e % BK], e / BK < rows ? K - k0 - e % BK : 0, chunks);
#pragma unroll 1
        for (int e = t * 8; e < BK * BN; e += THREADS * 8)
            *(uint4 *)&ring->B[e / BN][e % BN] =
                load8_part(&B[e / BN * ldb + e % BN], k0 + e / BN < K ? cols - e % BN : 0, chunks);
        __syncthreads(); /* nobody reads before everybody has written */
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            fetch(a[0], b[0], *ring, a_at, b_at, k);
            multiply<T>(acc, a[0], b[0]);
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
    const auto kernel = double_buffer<T, BM, BN, BK, WM, WN, VARIANT...>;
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
    static const gemm_tile tiles[] = {{128, 256, 100, smem_bytes<T, 128, 256, 64, 64, 64, VARIANT...>()},
                                      {128, 128, 104, smem_bytes<T, 128, 128, 64, 64, 64, VARIANT...>()},
                                      {64, 64, 155, smem_bytes<T, 64, 64, 64, 32, 32, VARIANT...>()}};
    switch (choose_tile(p, tiles, 3)) {
    case 1:
        return run<T, 128, 256, 64, 64, 64, VARIANT...>(p, stream, footprint);
    case 2:
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
GEMM_KERNEL(double_buffer_stages3, 8, 3, 2)
GEMM_KERNEL(double_buffer_stages2, 8, 2, 2)
GEMM_KERNEL(double_buffer_stages4, 8, 4, 2)
GEMM_KERNEL(double_buffer_one_step, 8, 3, 1)

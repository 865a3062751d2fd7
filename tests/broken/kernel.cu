/* Kernels that are wrong on purpose, each in its own way: the harness must call every one of them FAIL, but the first.
 */
#include "gemm.h"
#include "kernel/number.cuh"

#define BLOCK 32

enum mistake {
    NONE,
    LAST_ROW,
    ONE_PERCENT,
    READS_C,
    PAST_THE_END,
    IN_THE_GAP,
    NANS,
    INFINITE,
    ZEROS,
    TRANSPOSED_B,
    HALF_SUMS,
    BF16_INPUTS,
    BACKWARDS
};

template <int MISTAKE> __device__ float as_read(float x) {
    return MISTAKE == BF16_INPUTS ? __bfloat162float(__float2bfloat16(x)) : x;
}

template <typename T, int MISTAKE>
__global__ void broken(int M, int N, int K, float alpha, const T *A, int64_t lda, const T *B, int64_t ldb, float beta,
                       T *C, int64_t ldc) {
    const int row = blockIdx.y * BLOCK + threadIdx.y, col = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= M || col >= N || (MISTAKE == LAST_ROW && row == M - 1))
        return;
    float acc = 0.0f, a2 = 0.0f, b2 = 0.0f;
    for (int step = 0; step < K; step++) {
        const int k = MISTAKE == BACKWARDS ? K - 1 - step : step;
        const float a = as_read<MISTAKE>(to_float(A[row * lda + k]));
        const float b = as_read<MISTAKE>(
            to_float(MISTAKE == TRANSPOSED_B ? B[col * ldb + k] : B[k * ldb + col])); /* square problems only */
        acc += a * b;
        if (MISTAKE == HALF_SUMS)
            acc = __half2float(__float2half(acc));
        a2 += a * a;
        b2 += b * b;
    }
    if (MISTAKE == ONE_PERCENT && row == M / 3 && col == N / 5)
        acc += 0.01f * sqrtf(a2) * sqrtf(b2);
    if (MISTAKE == NANS && row == M / 3 && col == N / 5)
        acc = nanf("");
    if (MISTAKE == INFINITE && row == M / 3 && col == N / 5)
        acc = INFINITY;
    const float old = beta == 0.0f && MISTAKE != READS_C ? 0.0f : beta * to_float(C[row * ldc + col]);
    from_float(MISTAKE == ZEROS ? 0.0f : alpha * acc + old, &C[row * ldc + col]);
    if (MISTAKE == PAST_THE_END && row == M - 1 && col == N - 1)
        from_float(1.0f, &C[row * ldc + N + 3]);
    if (MISTAKE == IN_THE_GAP && row == 0 && col == N - 1)
        from_float(1.0f, &C[N]);
}

template <typename T, int MISTAKE>
static cudaError_t start(const gemm_problem *p, dim3 block, size_t smem, cudaStream_t stream) {
    const dim3 grid((unsigned)((p->N + BLOCK - 1) / BLOCK), (unsigned)((p->M + BLOCK - 1) / BLOCK));
    broken<T, MISTAKE><<<grid, block, smem, stream>>>((int)p->M, (int)p->N, (int)p->K, p->alpha, (const T *)p->A,
                                                      p->lda, (const T *)p->B, p->ldb, p->beta, (T *)p->C, p->ldc);
    return cudaSuccess; /* a launch error is left for the harness to find */
}

template <int MISTAKE> static cudaError_t launch(const gemm_problem *p, dim3 block, size_t smem, cudaStream_t stream) {
    if (p->dtype == GEMM_F16)
        return start<__half, MISTAKE>(p, block, smem, stream);
    if (p->dtype == GEMM_BF16)
        return start<__nv_bfloat16, MISTAKE>(p, block, smem, stream);
    return start<float, MISTAKE>(p, block, smem, stream);
}

extern "C" {
#define BROKEN(name, MISTAKE)                                                                                          \
    cudaError_t name(const gemm_problem *p, cudaStream_t stream) {                                                     \
        return launch<MISTAKE>(p, dim3(BLOCK, BLOCK), 0, stream);                                                      \
    }
BROKEN(broken_nothing, NONE)
BROKEN(broken_last_row, LAST_ROW)
BROKEN(broken_one_percent, ONE_PERCENT)
BROKEN(broken_reads_c, READS_C)
BROKEN(broken_past_the_end, PAST_THE_END)
BROKEN(broken_in_the_gap, IN_THE_GAP)
BROKEN(broken_nans, NANS)
BROKEN(broken_infinity, INFINITE)
BROKEN(broken_zeros, ZEROS)
BROKEN(broken_transposed_b, TRANSPOSED_B)
BROKEN(broken_half_sums, HALF_SUMS)
BROKEN(broken_bf16_inputs, BF16_INPUTS)

cudaError_t broken_config(const gemm_problem *p, cudaStream_t stream) {
    return p->config == 2 ? broken_one_percent(p, stream) : broken_nothing(p, stream);
}

/* Right the first time, then too lazy to launch: what is timed is nothing. */
cudaError_t broken_works_once(const gemm_problem *p, cudaStream_t stream) {
    static int calls;
    return calls++ == 0 ? launch<NONE>(p, dim3(BLOCK, BLOCK), 0, stream) : cudaSuccess;
}
/* Right each time, but the third time the sums are rounded in another order, as after a race that rarely does harm. */
cudaError_t broken_now_and_then(const gemm_problem *p, cudaStream_t stream) {
    static int calls;
    return ++calls % 3 == 0 ? launch<BACKWARDS>(p, dim3(BLOCK, BLOCK), 0, stream)
                            : launch<NONE>(p, dim3(BLOCK, BLOCK), 0, stream);
}
cudaError_t broken_too_many_threads(const gemm_problem *p, cudaStream_t stream) {
    return launch<NONE>(p, dim3(64, BLOCK), 0, stream);
}
cudaError_t broken_too_much_smem(const gemm_problem *p, cudaStream_t stream) {
    return launch<NONE>(p, dim3(BLOCK, BLOCK), 300 * 1024, stream);
}
}

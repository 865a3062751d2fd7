// A product that is right but for one mistake each, of the kinds that only a driver can see: it knows where A, B and C
// end, which of them may be read, and what an element looks like that was never given a value. run.sh --driver calls
// it with rows that are followed by a gap.
//
// The columns of B and C guard the load of A: with N larger than K, rows of A run into the gap.
// finding a_guarded_by_n: outside-matrix 77
// The last step of a loop reads one column more, and multiplies it by zero. In the gap that is often harmless.
// finding a_column_past: outside-matrix 77
// Index k - 1: what lies before the first element, and the end of the row before for all others.
// finding a_column_before: outside-matrix 77
// K taken for the stride of A: right as long as there is no gap.
// finding a_stride_k: outside-matrix 77
// One row more of B.
// finding b_row_past: outside-matrix 79
// The grid is whole blocks, and the store does not ask whether its row exists, or its column.
// finding c_rows_past: outside-matrix 87
// finding c_columns_past: outside-matrix 87
// A is an input.
// finding a_written: outside-matrix 94
// beta = 0 multiplies C by zero instead of leaving it alone: NaN stays NaN.
// finding c_read_for_beta_0: must-not-read 86
// alpha = 0 multiplies the product by zero instead of leaving it out.
// finding ab_read_for_alpha_0: must-not-read 77
// finding ab_read_for_alpha_0: must-not-read 79
// arguments ab_read_for_alpha_0: --alpha 0 --beta 2
// The sum starts with whatever the register held, often zero.
// finding accumulator_without_zero: uninitialised
// And the right one.
// no finding nothing
// no finding nothing_alpha_0
// arguments nothing_alpha_0: --alpha 0 --beta 0.5
// no finding nothing_beta
// no finding nothing_sum_in_c
// arguments nothing_beta: --alpha 0.5 --beta 2
#include "gemm.h"
#include "kernel/number.cuh"

#define BLOCK 8
#define STEP 8 /* k comes in whole steps, as with a tile */

enum mistake {
    NONE,
    A_GUARDED_BY_N,
    A_COLUMN_PAST,
    A_COLUMN_BEFORE,
    A_STRIDE_K,
    B_ROW_PAST,
    C_ROWS_PAST,
    C_COLUMNS_PAST,
    C_READ_FOR_BETA_0,
    AB_READ_FOR_ALPHA_0,
    ACCUMULATOR_WITHOUT_ZERO,
    A_WRITTEN,
    SUM_IN_C
};

// Apart, as a compiler that saw both would rightly warn.
__device__ __noinline__ void start_sum(float *sum, bool zero) {
    if (zero)
        *sum = 0.0f;
}

template <typename T, int MISTAKE>
__global__ void planted(int M, int N, int K, float alpha, const T *A, int64_t lda, const T *B, int64_t ldb, float beta,
                        T *C, int64_t ldc) {
    const int row = blockIdx.y * BLOCK + threadIdx.y, col = blockIdx.x * BLOCK + threadIdx.x;
    const int a_columns = MISTAKE == A_GUARDED_BY_N ? N : MISTAKE == A_COLUMN_PAST ? K + 1 : K;
    const int b_rows = MISTAKE == B_ROW_PAST ? K + 1 : K;
    const int depth = alpha == 0.0f && MISTAKE != AB_READ_FOR_ALPHA_0 ? 0 : (K + STEP - 1) / STEP * STEP;
    const int64_t stride = MISTAKE == A_STRIDE_K ? K : lda;
    const T *a_row = A + row * stride - (MISTAKE == A_COLUMN_BEFORE ? 1 : 0);
    float acc;
    start_sum(&acc, MISTAKE != ACCUMULATOR_WITHOUT_ZERO);
    for (int k = 0; k < depth; k++) {
        float a = 0.0f, b = 0.0f;
        if (row < M && k < a_columns)
            a = to_float(a_row[k]); // <- outside-matrix must-not-read
        if (k < b_rows && col < N)
            b = to_float(B[k * ldb + col]); // <- outside-matrix must-not-read
        acc += a * b;
    }
    if ((row >= M && MISTAKE != C_ROWS_PAST) || (col >= N && MISTAKE != C_COLUMNS_PAST))
        return;
    float old = 0.0f;
    if (beta != 0.0f || MISTAKE == C_READ_FOR_BETA_0)
        old = to_float(C[row * ldc + col]);                    // <- must-not-read
    from_float(alpha * acc + beta * old, &C[row * ldc + col]); // <- outside-matrix
    if (MISTAKE == SUM_IN_C) { // it reads back its own zero, whatever beta is
        from_float(0.0f, &C[row * ldc + col]);
        __threadfence();
        from_float(to_float(C[row * ldc + col]) + alpha * acc + beta * old, &C[row * ldc + col]);
    }
    if (MISTAKE == A_WRITTEN && row == 0 && col < K)
        from_float(0.0f, const_cast<T *>(&A[col])); // <- outside-matrix
}

template <typename T, int MISTAKE> static cudaError_t start(const gemm_problem *p, cudaStream_t stream) {
    const dim3 grid((unsigned)((p->N + BLOCK - 1) / BLOCK), (unsigned)((p->M + BLOCK - 1) / BLOCK));
    planted<T, MISTAKE><<<grid, dim3(BLOCK, BLOCK), 0, stream>>>((int)p->M, (int)p->N, (int)p->K, p->alpha,
                                                                 (const T *)p->A, p->lda, (const T *)p->B, p->ldb,
                                                                 p->beta, (T *)p->C, p->ldc);
    return cudaGetLastError();
}

extern "C" {
#define PLANTED(name, MISTAKE)                                                                                         \
    cudaError_t planted_##name(const gemm_problem *p, cudaStream_t stream) {                                           \
        return p->dtype == GEMM_F16 ? start<__half, MISTAKE>(p, stream) : start<float, MISTAKE>(p, stream);            \
    }
PLANTED(nothing, NONE)
PLANTED(nothing_alpha_0, NONE)
PLANTED(nothing_beta, NONE)
PLANTED(nothing_sum_in_c, SUM_IN_C)
PLANTED(a_guarded_by_n, A_GUARDED_BY_N)
PLANTED(a_column_past, A_COLUMN_PAST)
PLANTED(a_column_before, A_COLUMN_BEFORE)
PLANTED(a_stride_k, A_STRIDE_K)
PLANTED(b_row_past, B_ROW_PAST)
PLANTED(c_rows_past, C_ROWS_PAST)
PLANTED(c_columns_past, C_COLUMNS_PAST)
PLANTED(c_read_for_beta_0, C_READ_FOR_BETA_0)
PLANTED(ab_read_for_alpha_0, AB_READ_FOR_ALPHA_0)
PLANTED(accumulator_without_zero, ACCUMULATOR_WITHOUT_ZERO)
PLANTED(a_written, A_WRITTEN)
}

/* Three loops on one CPU thread: the article's starting point, and the definition of the product.
 *
 *   C = alpha*A*B + beta*C      A is M x K, B is K x N, C is M x N, row-major, rows lda, ldb, ldc elements apart
 */
#include "gemm.h"
#include "number.h"

/* As number_load, here so that the compiler can inline it. */
static float load(gemm_dtype dtype, const void *array, int64_t index) {
    return dtype == GEMM_F16 ? number_half_to_float(((const uint16_t *)array)[index]) : ((const float *)array)[index];
}

cudaError_t naive_cpu_loop(const gemm_problem *p, cudaStream_t stream) {
    (void)stream; /* nothing here is asynchronous */
    const int64_t K = p->alpha == 0.0f ? 0 : p->K;
    for (int64_t row = 0; row < p->M; row++)
        for (int64_t col = 0; col < p->N; col++) {
            float acc = 0.0f;
            for (int64_t k = 0; k < K; k++)
                acc += load(p->dtype, p->A, row * p->lda + k) * load(p->dtype, p->B, k * p->ldb + col);
            const int64_t at = row * p->ldc + col;
            const float old = p->beta == 0.0f ? 0.0f : p->beta * load(p->dtype, p->C, at);
            number_store(p->dtype, p->C, at, p->alpha * acc + old);
        }
    return cudaSuccess;
}

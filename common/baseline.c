#include "baseline.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef GEMM_CPU_DEVICE

baseline *baseline_open(char *why, size_t why_size) {
    snprintf(why, why_size, "cuBLAS runs on GPUs only");
    return NULL;
}

void baseline_close(baseline *b) { (void)b; }

const char *baseline_version(const baseline *b) {
    (void)b;
    return "";
}

int baseline_launch(baseline *b, const gemm_problem *problem, cudaStream_t stream, char *why, size_t why_size) {
    (void)b, (void)problem, (void)stream;
    snprintf(why, why_size, "cuBLAS runs on GPUs only");
    return -1;
}

#else

#include <cublas_v2.h>

struct baseline {
    cublasHandle_t handle;
    char version[32];
};

baseline *baseline_open(char *why, size_t why_size) {
    baseline *b = calloc(1, sizeof *b);
    cublasStatus_t status = b ? cublasCreate(&b->handle) : CUBLAS_STATUS_ALLOC_FAILED;
    if (status != CUBLAS_STATUS_SUCCESS) {
        snprintf(why, why_size, "cuBLAS did not start (%s)", cublasGetStatusString(status));
        free(b);
        return NULL;
    }
    int major = 0, minor = 0, patch = 0;
    cublasGetProperty(MAJOR_VERSION, &major);
    cublasGetProperty(MINOR_VERSION, &minor);
    cublasGetProperty(PATCH_LEVEL, &patch);
    snprintf(b->version, sizeof b->version, "%d.%d.%d", major, minor, patch);
    return b;
}

void baseline_close(baseline *b) {
    if (b)
        cublasDestroy(b->handle);
    free(b);
}

const char *baseline_version(const baseline *b) { return b->version; }

/* How cuBLAS is told of the element types that it multiplies here; is_known is 0 for the others. */
static const struct {
    int is_known;
    cudaDataType_t type;
    cublasComputeType_t compute;
} types[GEMM_DTYPE_COUNT] = {
    [GEMM_F32] = {1, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC},
    [GEMM_TF32] = {1, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
    [GEMM_F16] = {1, CUDA_R_16F, CUBLAS_COMPUTE_32F},
    [GEMM_BF16] = {1, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
};

/* cuBLAS is column-major. A row-major matrix read by columns is its transpose, and C^T = B^T A^T: so B goes first, and
 * M and N change places. */
int baseline_launch(baseline *b, const gemm_problem *p, cudaStream_t stream, char *why, size_t why_size) {
    if (p->M == 0 || p->N == 0)
        return 0;
    if (!types[p->dtype].is_known) {
        snprintf(why, why_size, "no cuBLAS baseline for this type");
        return -1;
    }
    const cudaDataType_t type = types[p->dtype].type;
    cublasStatus_t status = cublasSetStream(b->handle, stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        status =
            cublasGemmEx_64(b->handle, CUBLAS_OP_N, CUBLAS_OP_N, p->N, p->M, p->K, &p->alpha, p->B, type, p->ldb, p->A,
                            type, p->lda, &p->beta, p->C, type, p->ldc, types[p->dtype].compute, CUBLAS_GEMM_DEFAULT);
    if (status == CUBLAS_STATUS_SUCCESS)
        return 0;
    snprintf(why, why_size, "cuBLAS: %s", cublasGetStatusString(status));
    return -1;
}

#endif

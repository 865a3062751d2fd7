/* Compiled for another architecture than this machine's GPU: the launch must fail, and be seen to. */
#include "gemm.h"

__global__ void wrong_arch_kernel(float *C) { C[0] = 1.0f; }

extern "C" cudaError_t broken_wrong_arch(const gemm_problem *p, cudaStream_t stream) {
    wrong_arch_kernel<<<1, 1, 0, stream>>>((float *)p->C);
    return cudaSuccess;
}

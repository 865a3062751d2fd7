// A matrix with an odd number of columns: only every eighth row of halves starts at a multiple of 16 bytes, but
// all of them are copied by 16. Such rows go another way, element by element.
// finding: misaligned 13
#include "../../common/kernel/ptx.cuh"
#include <cstdio>

enum { COLUMNS = 33, PAD = 8 };

__global__ void row_sums(const __half *in, float *out) {
    __shared__ __align__(16) __half piece[32][32 + PAD];
    const int t = threadIdx.x;
    for (int i = t; i < 32 * 4; i += 32)
        cp_async_16(&piece[i / 4][i % 4 * 8], &in[i / 4 * COLUMNS + i % 4 * 8]); // <- misaligned
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < 32; i++)
        sum += __half2float(piece[t][i]);
    out[t] = sum;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 528 * sizeof *in);
    cudaMemset(in, 0, 528 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    row_sums<<<1, 32>>>((const __half *)in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

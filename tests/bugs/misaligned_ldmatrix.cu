// Rows are widened against bank conflicts, by four halves: eight bytes, so every other row starts between two multiples
// of 16, which ldmatrix does not take. For it the padding must be eight.
// finding: misaligned 18
// also: missing-lanes
#include "../../common/kernel/ptx.cuh"
#include <cstdio>

enum { PAD = 4 };

__global__ void multiply(const __half *in, float *out) {
    __shared__ __align__(16) __half A[16][16 + PAD];
    const int t = threadIdx.x;
    for (int i = t; i < 256; i += 32)
        A[i / 16][i % 16] = in[i];
    __syncwarp();
    float acc[4] = {};
    uint32_t a[4];
    ldmatrix_x4(a, &A[t % 16][t / 16 * 8]); // <- misaligned
    mma_16x8x16(acc, a, {a[0], a[2]}, __half());
    out[t] = acc[0];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 128 * sizeof *in);
    cudaMemset(in, 0, 128 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    multiply<<<1, 32>>>((const __half *)in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

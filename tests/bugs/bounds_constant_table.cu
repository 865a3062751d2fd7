// A table of 16 coefficients in constant memory, and a filter that begins to count at 1. What follows the table in
// constant memory is another variable, or zero.
// finding: array-bounds 11
#include <cstdio>

__constant__ float coefficients[16];

__global__ void filter(const float *in, float *out) {
    float acc = 0.0f;
    for (int i = 1; i <= 16; i++)
        acc += coefficients[i] * in[threadIdx.x + i - 1]; // <- array-bounds
    out[threadIdx.x] = acc;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 79 * sizeof *in);
    cudaMemset(in, 0, 79 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    filter<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

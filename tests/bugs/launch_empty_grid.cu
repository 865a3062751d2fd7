// The number of blocks is rounded down, so that a small matrix gets none at all. The launch fails, and C keeps what it
// had. It must be rounded up.
// finding: launch 13
#include <cstdio>

__global__ void fill(float *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }

int main() {
    static float host[50];
    float *out;
    cudaMalloc(&out, sizeof host);
    const int count = 50;
    fill<<<count / 64, 64>>>(out); // <- launch
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// cudaMalloc() was given the number of elements instead of bytes: a quarter of what is needed. On a GPU the rest often
// belongs to the next allocation.
// finding: out-of-bounds 7
#include <cstdio>

__global__ void fill(float *numbers, float *out) {
    numbers[threadIdx.x] = 1.0f; // <- out-of-bounds
    out[threadIdx.x] = 1.0f;
}

int main() {
    static float host[256];
    float *out;
    cudaMalloc(&out, sizeof host);
    float *numbers;
    cudaMalloc(&numbers, 256);
    fill<<<1, 256>>>(numbers, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

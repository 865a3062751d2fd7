// 300 KiB of dynamic shared memory are more than any GPU has for a block. cudaFuncSetAttribute() has said so, but
// nobody looked at what it returned.
// finding: launch 17
#include <cstdio>

__global__ void fill(float *out) {
    extern __shared__ float row[];
    row[threadIdx.x] = 1.0f;
    out[threadIdx.x] = row[threadIdx.x];
}

int main() {
    static float host[64];
    float *out;
    cudaMalloc(&out, sizeof host);
    cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 * 1024);
    fill<<<1, 64, 300 * 1024>>>(out); // <- launch
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

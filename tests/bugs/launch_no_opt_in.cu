// 16 bytes more than 48 KiB of dynamic shared memory. Up to 48 KiB are there for the asking; more needs
// cudaFuncSetAttribute() with cudaFuncAttributeMaxDynamicSharedMemorySize first.
// finding: launch 16
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
    fill<<<1, 64, 48 * 1024 + 16>>>(out); // <- launch
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

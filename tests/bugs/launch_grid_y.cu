// One block for each row, along y, where a grid may have 65535 blocks. Along x it could have 2147483647.
// finding: launch 11
#include <cstdio>

__global__ void fill(float *out) { out[blockIdx.y] = 1.0f; }

int main() {
    static float host[65536];
    float *out;
    cudaMalloc(&out, sizeof host);
    fill<<<dim3(1, 65536), 1>>>(out); // <- launch
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

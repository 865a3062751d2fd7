// cudaMalloc() refused an impossible size, nobody looked, and the kernel gets the null pointer that was there before.
// finding: out-of-bounds 6
#include <cstdio>

__global__ void scale(const float *in, float *out) {
    out[threadIdx.x] = 2.0f * in[threadIdx.x]; // <- out-of-bounds
}

int main() {
    static float host[64];
    float *out;
    cudaMalloc(&out, sizeof host);
    float *numbers = NULL;
    cudaMalloc(&numbers, (size_t)1 << 60);
    scale<<<1, 64>>>(numbers, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

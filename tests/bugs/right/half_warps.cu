// Each half of a warp waits for its own lanes only.
// no finding
#include <cstdio>

__global__ void exchange(const int *in, int *out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    const unsigned half = t % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
    s[t] = in[t];
    __syncwarp(half);
    const int value = s[t ^ 15];
    __syncwarp(half);
    s[t] = value + 1;
    __syncwarp(half);
    out[t] = s[t ^ 8];
}

int main() {
    static int host[64];
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMemset(in, 0, sizeof host);
    cudaMalloc(&out, sizeof host);
    exchange<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", (double)host[0]);
    return 0;
}

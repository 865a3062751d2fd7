// Two threads write one __half, as an index was halved twice: once for pairs, and once more by the cast. On a GPU one
// of the two wins. Neighbouring halves, in one word, would be no race.
// finding: race 12 12
// finding: race 13 13
#include <cstdio>
#include <cuda_fp16.h>

__global__ void pack(const __half *in, __half *out) {
    __shared__ __half packed[64];
    const int t = threadIdx.x;
    const __half parity = __float2half(1.0f + t % 2);
    packed[t / 2] = in[t];       // <- race
    packed[32 + t / 2] = parity; // <- race
    __syncthreads();
    out[t] = packed[t];
}

int main() {
    static __half host[64];
    __half *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    pack<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", __half2float(host[0]));
    return 0;
}

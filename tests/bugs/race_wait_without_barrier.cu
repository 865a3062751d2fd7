// Every thread waits for its own copies and goes on to what others have copied. A wait is not a barrier.
// finding: race 11 14
#include "../../common/kernel/ptx.cuh"
#include <cstdio>

enum { CHUNKS = 64 };

__global__ void sum(const float *in, float *out) {
    __shared__ __align__(16) float piece[CHUNKS][4];
    const int t = threadIdx.x;
    cp_async_16(piece[t], &in[t * 4]); // <- race
    cp_async_commit();
    cp_async_wait<0>();
    out[t] = piece[63 - t][0]; // <- race
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof *in);
    cudaMemset(in, 0, 256 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

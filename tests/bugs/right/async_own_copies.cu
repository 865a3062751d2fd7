// Each thread reads back what it has copied itself: then its wait is all that is needed, and no barrier.
// no finding
#include "../../../common/kernel/ptx.cuh"
#include <cstdio>

__global__ void sum(const float *in, float *out) {
    __shared__ __align__(16) float own[2][64][4];
    const int t = threadIdx.x;
    for (int i = 0; i < 2; i++) {
        cp_async_16(own[i][t], &in[(i * 64 + t) * 4]);
        cp_async_commit();
    }
    cp_async_wait<1>();
    float acc = own[0][t][0];
    cp_async_wait<0>();
    acc += own[1][t][0];
    out[t] = acc;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 512 * sizeof *in);
    cudaMemset(in, 0, 512 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// A ring of two with the arithmetic of a ring of three: piece i + 2 goes to the place that is being read.
// finding: race 14 23
#include "../../common/kernel/ptx.cuh"
#include <cstdio>

enum { STAGES = 2 };

__global__ void sum(const float *in, float *out, int pieces) {
    __shared__ __align__(16) float ring[STAGES][64][4];
    const int t = threadIdx.x;
    float acc = 0.0f;
    const auto ask = [&](int i) {
        if (i < pieces)
            cp_async_16(ring[i % STAGES][t], &in[(i * 64 + t) * 4]); // <- race
        cp_async_commit();
    };
    ask(0);
    ask(1);
    for (int i = 0; i < pieces; i++) {
        cp_async_wait<1>();
        __syncthreads();
        ask(i + 2);
        acc += ring[i % STAGES][63 - t][0]; // <- race
    }
    out[t] = acc;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 7 * 256 * sizeof *in);
    cudaMemset(in, 0, 7 * 256 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 64>>>(in, out, 7);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

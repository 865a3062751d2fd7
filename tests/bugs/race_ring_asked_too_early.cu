// The next piece is asked for before the barrier, into the place of the piece that slower threads still read. Behind
// the barrier, which tells that everybody is through with it, the same line is right.
// finding: race 15 24
#include "../../common/kernel/ptx.cuh"
#include <cstdio>

enum { STAGES = 3 };

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
        ask(i + 2);
        cp_async_wait<2>();
        __syncthreads();
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

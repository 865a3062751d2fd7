// The ring has three places, and the piece that is read is looked for one place too far: there the next one is still on
// its way.
// finding: missing-wait 15 25
#include "../../common/kernel/ptx.cuh"
#include <cstdio>

enum { STAGES = 3 };

__global__ void sum(const float *in, float *out, int pieces) {
    __shared__ __align__(16) float ring[STAGES][64][4];
    const int t = threadIdx.x;
    float acc = 0.0f;
    const auto ask = [&](int i) {
        if (i < pieces)
            cp_async_16(ring[i % STAGES][t], &in[(i * 64 + t) * 4]); // <- missing-wait
        cp_async_commit();
    };
    ask(0);
    ask(1);
    for (int i = 0; i + 1 < pieces; i++) {
        cp_async_wait<1>();
        __syncthreads();
        ask(i + 2);
        for (int j = 0; j < 4; j++)
            acc += ring[(i + 1) % STAGES][63 - t][j]; // <- missing-wait
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

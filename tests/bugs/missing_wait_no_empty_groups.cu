// A wait that leaves one group on its way, as in the loop of a ring of three. But where nothing more is asked for,
// nothing was committed either, so in the last round the group that is left is the one that is read.
// finding: missing-wait 16 28
#include "../../common/kernel/ptx.cuh"
#include <cstdio>

enum { STAGES = 3 };

__global__ void sum(const float *in, float *out, int pieces) {
    __shared__ __align__(16) float ring[STAGES][64][4];
    const int t = threadIdx.x;
    float acc = 0.0f;
    const auto ask = [&](int i) {
        if (i >= pieces)
            return;
        cp_async_16(ring[i % STAGES][t], &in[(i * 64 + t) * 4]); // <- missing-wait
        cp_async_commit();
    };
    ask(0);
    ask(1);
    for (int i = 0; i < pieces; i++) {
        // All but the newest have arrived: piece i, as long as there is a piece i + 1.
        cp_async_wait<1>();
        // Everybody has it, and is through with piece i - 1.
        __syncthreads();
        ask(i + 2);
        for (int j = 0; j < 4; j++)
            acc += ring[i % STAGES][63 - t][j]; // <- missing-wait
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

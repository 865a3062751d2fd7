// Three places, two pieces ahead. The group is committed after the wait, one line too late: the copies that the wait
// counts are those of the pieces before, and of this one's it leaves two groups on their way instead of one. So
// numbers are read, and places asked for anew, that have not arrived. Ask, commit, wait, in this order.
// finding: missing-wait 17 26
// finding: missing-wait 17 17
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
    };
    ask(0), cp_async_commit();
    ask(1), cp_async_commit();
    for (int i = 0; i < pieces; i++) {
        ask(i + 2);
        cp_async_wait<2>();
        cp_async_commit();
        __syncthreads();
        acc += ring[i % STAGES][63 - t][0]; // <- missing-wait
        __syncthreads();
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

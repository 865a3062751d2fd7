// A pipeline of two stages and a K of one tile. The prologue rightly fetches only what exists, but the loop runs once
// for each stage. Long products are right; the first short one is not.
// finding: unwritten 17
#include <cstdio>

#define STAGES 2

__global__ void sum(const float *in, float *out, int tiles) {
    __shared__ float buffers[STAGES][64];
    const int t = threadIdx.x;
    for (int s = 0; s < STAGES; s++)
        if (s < tiles)
            buffers[s][t] = in[s * 64 + t];
    __syncthreads();
    float acc = 0.0f;
    for (int i = 0; i < max(tiles, STAGES); i++)
        acc += buffers[i % STAGES][63 - t]; // <- unwritten
    out[t] = acc;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 64>>>(in, out, 1);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// A sum in one warp with one __syncwarp() a step. The step reads the neighbour's value and writes its own, and a slow
// lane reads what a fast one has already written in the same step. Another __syncwarp() belongs between the two.
// finding: race 13 13
#include <cstdio>

__global__ void sum(const float *in, float *out) {
    __shared__ float sums[64];
    const int t = threadIdx.x;
    sums[t] = in[t];
    sums[t + 32] = 0.0f;
    for (int distance = 16; distance > 0; distance /= 2) {
        __syncwarp();
        sums[t] += sums[t + distance]; // <- race
    }
    if (t == 0)
        *out = sums[0];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 32 * sizeof *in);
    cudaMemset(in, 0, 32 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

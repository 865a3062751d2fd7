// A running sum in place. Each step ends with a barrier, but within a step a thread reads an element that its owner
// changes in the same step. Two arrays in turns, or a barrier between reading and writing, are needed.
// finding: race 13 13
#include <cstdio>

__global__ void scan(const float *in, float *out) {
    __shared__ float sums[64];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int distance = 1; distance < 64; distance *= 2) {
        if (t >= distance)
            sums[t] += sums[t - distance]; // <- race
        __syncthreads();
    }
    out[t] = sums[t];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    scan<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

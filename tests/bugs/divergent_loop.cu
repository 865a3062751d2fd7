// Each thread takes every 64th number, with a barrier in each round. 100 numbers are two rounds for 36 threads and one
// for the others, which wait at the barrier behind the loop meanwhile. From then on the threads are out of step.
// finding: divergent-barrier 12 15
#include <cstdio>

__global__ void sums(const float *in, float *out, int n) {
    __shared__ float sum[64];
    const int t = threadIdx.x;
    sum[t] = 0.0f;
    for (int i = t; i < n; i += 64) {
        sum[t] += in[i];
        __syncthreads(); // <- divergent-barrier
    }
    out[t] = sum[t];
    __syncthreads(); // <- divergent-barrier
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 100 * sizeof *in);
    cudaMemset(in, 0, 100 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sums<<<1, 64>>>(in, out, 100);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

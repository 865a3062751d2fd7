// The end of a sum in one warp, without __syncwarp(): "a warp is in step anyway". Since Volta it need not be. volatile
// only keeps the values out of registers. Many old texts show this, and it mostly still works.
// finding: race 14 15
#include <cstdio>

__global__ void sum(const float *in, float *out) {
    __shared__ float values[64];
    volatile float *sums = values;
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t < 32) {
        for (int distance = 32; distance > 0; distance /= 2) {
            const float other = sums[t + distance]; // <- race
            sums[t] += other;                       // <- race
        }
    }
    if (t == 0)
        *out = sums[0];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

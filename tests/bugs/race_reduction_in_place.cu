// A tree of sums whose steps do not wait for each other: a thread adds a partial sum that its owner has not finished.
// With one warp it seems to work, with several the sum is now and then too small.
// finding: race 13 13
#include <cstdio>

__global__ void sum(const float *in, float *out) {
    __shared__ float sums[128];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int s = 64; s > 0; s /= 2)
        if (t < s)
            sums[t] += sums[t + s]; // <- race
    if (t == 0)
        *out = sums[0];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 128 * sizeof *in);
    cudaMemset(in, 0, 128 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

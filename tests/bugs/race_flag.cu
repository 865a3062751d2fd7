// One thread finds a negative number and raises a flag for the block, and the others look at the flag without waiting.
// Those that looked too early go on as if there were none.
// finding: race 13 14
#include <cstdio>

__global__ void clamp_all(const float *in, float *out) {
    __shared__ int found;
    const int t = threadIdx.x;
    if (t == 0)
        found = 0;
    __syncthreads();
    if (in[t] - t == -40.0f)
        found = 1;                 // <- race
    out[t] = found ? 0.0f : in[t]; // <- race
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    clamp_all<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

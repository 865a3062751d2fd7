// Two arrays are carved out of dynamic shared memory, and the second begins one element too early: the last number of
// the first and the first of the second are one word. Which one is left depends on which warp is later.
// finding: race 10 11
#include <cstdio>

__global__ void products(const float *in, float *out, int n) {
    extern __shared__ float parts[];
    float *a = parts, *b = parts + n - 1;
    const int t = threadIdx.x;
    a[t] = in[t];     // <- race
    b[t] = in[n + t]; // <- race
    __syncthreads();
    out[t] = a[n - 1 - t] * b[t];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 128 * sizeof *in);
    cudaMemset(in, 0, 128 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    products<<<1, 64, 128 * sizeof(float)>>>(in, out, 64);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

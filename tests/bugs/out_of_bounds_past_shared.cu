// A pointer walks through a shared array by a stride, and one step too far. What follows in shared memory belongs to
// nobody, as the kernel has a single array.
// finding: out-of-bounds 15
#include <cstdio>

__global__ void sum(const float *in, float *out) {
    __shared__ float tile[16][32];
    const int t = threadIdx.x;
    for (int r = 0; r < 16; r++)
        tile[r][t] = in[r * 32 + t];
    __syncthreads();
    const float *next = &tile[0][t];
    float acc = 0.0f;
    for (int r = 0; r <= 16; r++, next += 32)
        acc += *next; // <- out-of-bounds
    out[t] = acc;
}

int main() {
    static float host[32];
    float *in, *out;
    cudaMalloc(&in, 512 * sizeof *in);
    cudaMemset(in, 0, 512 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Sums in shared memory that nobody set to zero: shared memory starts with whatever the block before has left. The
// first launch of a program mostly finds zeros, and the sums are right.
// finding: unwritten 10
#include <cstdio>

__global__ void sums(const float *in, float *out, int rows) {
    __shared__ float sum[64];
    const int t = threadIdx.x;
    for (int r = 0; r < rows; r++)
        sum[t] += in[r * 64 + t]; // <- unwritten
    __syncthreads();
    out[t] = sum[63 - t];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof *in);
    cudaMemset(in, 0, 256 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sums<<<1, 64>>>(in, out, 4);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

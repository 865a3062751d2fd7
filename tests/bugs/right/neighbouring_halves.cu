// Neighbouring halves of one word, written by two threads: GPU memory is written byte by byte, so this is no race.
// no finding
#include <cstdio>
#include <cuda_fp16.h>

__global__ void reverse(const __half *in, __half *out) {
    __shared__ __half row[64];
    const int t = threadIdx.x;
    row[t] = in[t];
    __syncthreads();
    out[t] = row[63 - t];
}

int main() {
    static __half host[64];
    __half *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    reverse<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", __half2float(host[0]));
    return 0;
}

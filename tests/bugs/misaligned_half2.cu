// Two halves at once, from an odd index. A __half2 must lie at a multiple of 4 bytes; a CPU would not mind, a GPU ends
// the kernel.
// finding: misaligned 9
#include <cstdio>
#include <cuda_fp16.h>

__global__ void add_neighbours(const __half *in, __half *out) {
    const int t = threadIdx.x;
    const __half2 pair = *reinterpret_cast<const __half2 *>(&in[t]); // <- misaligned
    out[t] = __hadd(__low2half(pair), __high2half(pair));
}

int main() {
    static __half host[64];
    __half *in, *out;
    cudaMalloc(&in, 65 * sizeof *in);
    cudaMemset(in, 0, 65 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    add_neighbours<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", __half2float(host[0]));
    return 0;
}

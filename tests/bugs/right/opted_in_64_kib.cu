// 64 KiB of dynamic shared memory, after the opt-in, and used to the last byte.
// no finding
#include <cstdio>

__global__ void ends(const float *in, float *out, int words) {
    extern __shared__ float big[];
    const int t = threadIdx.x;
    for (int i = t; i < words; i += 64)
        big[i] = in[t];
    __syncthreads();
    out[t] = big[t] + big[words - 1 - t];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    cudaFuncSetAttribute(ends, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
    ends<<<1, 64, 64 * 1024>>>(in, out, 16 * 1024);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Flags of one byte, 64 of them in 16 words, each written by its own thread, and read four at a time behind a barrier.
// no finding
#include <cstdio>

__global__ void count_flags(const float *in, float *out) {
    __shared__ __align__(4) unsigned char flags[64];
    const int t = threadIdx.x;
    flags[t] = in[t] < 1.0f;
    __syncthreads();
    const unsigned four = reinterpret_cast<const unsigned *>(flags)[t / 4];
    out[t] = (float)__popc(four);
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    count_flags<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Two static tiles of 28 KiB: a kernel may declare 48 KiB. nvcc refuses it ("uses too much shared data"), so this file
// does not compile for a GPU; larger tiles must be dynamic, with an opt-in.
// finding: launch 21
#include <cstdio>

__global__ void swap_rows(const float *in, float *out) {
    __shared__ float As[112][64], Bs[112][64];
    const int t = threadIdx.x;
    As[0][t] = in[t];
    Bs[111][t] = in[t];
    __syncthreads();
    out[t] = As[0][63 - t] + Bs[111][63 - t];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    swap_rows<<<1, 64>>>(in, out); // <- launch
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

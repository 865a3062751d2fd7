// 40 KiB static and 16 KiB dynamic are each below the limit, but together they are above 48 KiB, and the dynamic part
// was not opted in to. A GPU refuses the launch.
// finding: launch 22
#include <cstdio>

__global__ void swap_rows(const float *in, float *out) {
    __shared__ float tile[160][64];
    extern __shared__ float row[];
    const int t = threadIdx.x;
    tile[159][t] = in[t];
    row[t] = in[t];
    __syncthreads();
    out[t] = tile[159][63 - t] + row[63 - t];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    swap_rows<<<1, 64, 16 * 1024>>>(in, out); // <- launch
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

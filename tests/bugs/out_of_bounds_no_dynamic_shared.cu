// The third argument of the launch is forgotten: the kernel has no dynamic shared memory at all. On a GPU this is an
// illegal access, or none, if a static array lies there.
// finding: out-of-bounds 9
#include <cstdio>

__global__ void reverse(const float *in, float *out) {
    extern __shared__ float row[];
    const int t = threadIdx.x;
    row[t] = in[t]; // <- out-of-bounds
    __syncthreads();
    out[t] = row[63 - t];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    reverse<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Many blocks use the same shared array one after the other, or at the same time on other processors: each has its own,
// and what one wrote is no race with another.
// no finding
#include <cstdio>

__global__ void reverse(const float *in, float *out) {
    __shared__ float row[64];
    const int t = threadIdx.x, base = blockIdx.x * 64;
    row[t] = in[base + t];
    __syncthreads();
    out[base + t] = row[63 - t];
}

int main() {
    static float host[2560];
    float *in, *out;
    cudaMalloc(&in, 2560 * sizeof *in);
    cudaMemset(in, 0, 2560 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    reverse<<<40, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

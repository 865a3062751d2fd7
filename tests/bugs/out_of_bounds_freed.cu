// The memory is freed before the kernel that reads it is launched. On a GPU it may still be mapped, or belong to
// somebody else by then.
// finding: out-of-bounds 7
#include <cstdio>

__global__ void scale(const float *in, float *out) {
    out[threadIdx.x] = 2.0f * in[threadIdx.x]; // <- out-of-bounds
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    cudaFree(in);
    scale<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

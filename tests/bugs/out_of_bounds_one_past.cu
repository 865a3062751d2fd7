// Reads the element after the last. cudaMalloc gives multiples of 256 or 512 bytes, so on a GPU there is memory: 400
// bytes were asked for, and 112 more come with them. The number read is anything.
// finding: out-of-bounds 9
#include <cstdio>

__global__ void differences(const float *in, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i + 1] - in[i]; // <- out-of-bounds
}

int main() {
    static float host[100];
    float *in, *out;
    cudaMalloc(&in, 100 * sizeof *in);
    cudaMemset(in, 0, 100 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    differences<<<2, 64>>>(in, out, 100);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

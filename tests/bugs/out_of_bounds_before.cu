// Reads the element before the first. On a GPU it mostly belongs to another allocation.
// finding: out-of-bounds 7
#include <cstdio>

__global__ void differences(const float *in, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] - in[i - 1]; // <- out-of-bounds
}

int main() {
    static float host[128];
    float *in, *out;
    cudaMalloc(&in, 128 * sizeof *in);
    cudaMemset(in, 0, 128 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    differences<<<2, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Complex numbers begin after a header of one float. A float2 must lie at a multiple of 8 bytes.
// finding: misaligned 6
#include <cstdio>

__global__ void magnitudes(const float *in, float *out) {
    const float2 z = reinterpret_cast<const float2 *>(in + 1)[threadIdx.x]; // <- misaligned
    out[threadIdx.x] = z.x * z.x + z.y * z.y;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 129 * sizeof *in);
    cudaMemset(in, 0, 129 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    magnitudes<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

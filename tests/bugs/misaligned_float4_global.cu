// Reads rows of 33 floats four at a time. A float4 must lie at a multiple of 16 bytes, and only every fourth row begins
// at one. A GPU ends the kernel with "misaligned address". Even sizes, as in most tests, hide it.
// finding: misaligned 10
#include <cstdio>

__global__ void sum_rows(const float *in, float *out, int width) {
    const float4 *row = reinterpret_cast<const float4 *>(&in[threadIdx.x * width]);
    float sum = 0.0f;
    for (int i = 0; i < width / 4; i++) {
        const float4 v = row[i]; // <- misaligned
        sum += v.x + v.y + v.z + v.w;
    }
    out[threadIdx.x] = sum;
}

int main() {
    static float host[32];
    float *in, *out;
    cudaMalloc(&in, 1056 * sizeof *in);
    cudaMemset(in, 0, 1056 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum_rows<<<1, 32>>>(in, out, 33);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// A product in which each warp stages pieces of its own: __syncwarp() is barrier enough.
// no finding
#include <cstdio>

__global__ void multiply(const float *in, float *out) {
    __shared__ float a[4][8][9], b[4][8][8];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sums[2] = {};
    for (int k0 = 0; k0 < 32; k0 += 8) {
        for (int i = lane; i < 64; i += 32) {
            a[warp][i / 8][i % 8] = in[(warp * 8 + i / 8) * 32 + k0 + i % 8];
            b[warp][i / 8][i % 8] = in[(k0 + i / 8) * 32 + i % 8];
        }
        __syncwarp();
        for (int k = 0; k < 8; k++)
            for (int half = 0; half < 2; half++)
                sums[half] += a[warp][lane / 8 + 4 * half][k] * b[warp][k][lane % 8];
        __syncwarp();
    }
    for (int half = 0; half < 2; half++)
        out[(warp * 8 + lane / 8 + 4 * half) * 8 + lane % 8] = sums[half];
}

int main() {
    static float host[1024];
    float *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMemset(in, 0, sizeof host);
    cudaMalloc(&out, sizeof host);
    multiply<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", (double)host[0]);
    return 0;
}

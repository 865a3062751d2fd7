// __syncwarp() waits for the whole warp, but is called under a condition that half of the warp does not meet. A mask of
// the lanes that come, __syncwarp(0xffff), is needed.
// finding: deadlock 11 14
#include <cstdio>

__global__ void pairs(const float *in, float *out) {
    __shared__ float row[32];
    const int t = threadIdx.x;
    row[t] = in[t];
    if (t < 16) {
        __syncwarp(); // <- deadlock
        row[t] += 1.0f;
    }
    __syncthreads(); // <- deadlock
    out[t] = row[31 - t];
}

int main() {
    static float host[32];
    float *in, *out;
    cudaMalloc(&in, 32 * sizeof *in);
    cudaMemset(in, 0, 32 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    pairs<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

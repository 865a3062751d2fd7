// Both halves of the warp wait, each at its own barrier. The counter of the hardware does not know one __syncthreads()
// from another, so it goes on, until a compiler or a GPU comes that does not.
// finding: divergent-barrier 11 15
#include <cstdio>

__global__ void halves(const float *in, float *out) {
    __shared__ float row[64];
    const int t = threadIdx.x;
    if (t % 32 < 16) {
        row[t] = in[t];
        __syncthreads(); // <- divergent-barrier
        out[t] = row[t + 16];
    } else {
        row[t] = 2.0f * in[t] + 1.0f;
        __syncthreads(); // <- divergent-barrier
        out[t] = 3.0f * row[t - 16];
    }
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    halves<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

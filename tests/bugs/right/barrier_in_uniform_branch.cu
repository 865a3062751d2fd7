// Barriers under a condition and in a loop, but all threads of a block decide alike: the condition is the block's
// number, the loop's length an argument.
// no finding
#include <cstdio>

__global__ void rotate(const float *in, float *out, int rounds) {
    __shared__ float row[64];
    const int t = threadIdx.x;
    float v = in[t];
    if (blockIdx.x == 1) {
        for (int r = 0; r < rounds; r++) {
            row[t] = v;
            __syncthreads();
            v = row[(t + 1) % 64];
            __syncthreads();
        }
    }
    out[blockIdx.x * 64 + t] = v;
}

int main() {
    static float host[192];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    rotate<<<3, 64>>>(in, out, 4);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Each warp counts in a copy of its own, whose rows are padded. The loop that clears them forgets the padding, so the
// end of the last copy is not cleared. An atomic update needs a value to begin with.
// finding: unwritten 12
#include <cstdio>

__global__ void histogram(const int *in, int *out) {
    __shared__ int copies[4][17];
    const int t = threadIdx.x;
    for (int i = t; i < 4 * 16; i += 128)
        copies[i / 17][i % 17] = 0;
    __syncthreads();
    atomicAdd(&copies[t / 32][(in[t] + t) % 16], 1); // <- unwritten
    __syncthreads();
    if (t < 16)
        out[t] = copies[0][t] + copies[1][t] + copies[2][t] + copies[3][t];
}

int main() {
    static int host[128];
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMemset(in, 0, sizeof host);
    cudaMalloc(&out, sizeof host);
    histogram<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", (double)host[0]);
    return 0;
}

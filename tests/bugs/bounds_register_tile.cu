// A thread has a tile of four sums, and the host asks for five columns a thread. On a GPU the array moves from
// registers to local memory for such an index, and the fifth sum overwrites a neighbour there. Registers cannot be
// checked on a GPU at all.
// finding: array-bounds 14
#include <cstdio>

#define TN 4

__global__ void sums(const float *in, float *out, int columns) {
    float acc[TN] = {0};
    const int t = threadIdx.x;
    for (int k = 0; k < 8; k++)
        for (int j = 0; j < columns; j++)
            acc[j] += in[(k * columns + j) * 64 + t]; // <- array-bounds
    for (int j = 0; j < TN; j++)
        out[j * 64 + t] = acc[j];
}

int main() {
    static float host[256];
    float *in, *out;
    cudaMalloc(&in, 2560 * sizeof *in);
    cudaMemset(in, 0, 2560 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sums<<<1, 64>>>(in, out, 5);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

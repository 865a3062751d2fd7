// The loop over a tile of 16 runs to k <= 16. As[ty][16] is As[ty + 1][0], and Bs[16][tx] whatever follows Bs in shared
// memory. As a tile of zeros often follows, tests with few numbers pass.
// finding: array-bounds 16
#include <cstdio>

#define BK 16

__global__ void multiply(const float *A, float *C) {
    __shared__ float As[BK][BK], Bs[BK][BK];
    const int tx = threadIdx.x, ty = threadIdx.y;
    As[ty][tx] = A[ty * BK + tx];
    Bs[ty][tx] = A[tx * BK + ty];
    __syncthreads();
    float acc = 0.0f;
    for (int k = 0; k <= BK; k++)
        acc += As[ty][k] * Bs[k][tx]; // <- array-bounds
    C[ty * BK + tx] = acc;
}

int main() {
    static float host[256];
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof *in);
    cudaMemset(in, 0, 256 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    multiply<<<1, dim3(BK, BK)>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

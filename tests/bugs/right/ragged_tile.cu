// Tiles at the edge are stored only as far as the matrix goes, and read only that far. The rest of the tile stays
// unwritten.
// no finding
#include <cstdio>

#define TILE 16

__global__ void multiply(const float *A, float *C, int M, int K) {
    __shared__ float As[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        if (ty < M && k0 + tx < K)
            As[ty][tx] = A[ty * K + k0 + tx];
        __syncthreads();
        for (int k = 0; k < TILE && k0 + k < K; k++)
            if (ty < M && tx < M)
                acc += As[ty][k] * As[tx][k];
        __syncthreads();
    }
    if (ty < M && tx < M)
        C[ty * M + tx] = acc;
}

int main() {
    static float host[121];
    float *in, *out;
    cudaMalloc(&in, 407 * sizeof *in);
    cudaMemset(in, 0, 407 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    multiply<<<1, dim3(TILE, TILE)>>>(in, out, 11, 37);
    multiply<<<1, dim3(TILE, TILE)>>>(in, out, 11, 0);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// The epilogue uses the tile of A again for the results, behind a barrier, and reads them by other threads behind
// another.
// no finding
#include <cstdio>

#define TILE 16

__global__ void square(const float *A, float *C) {
    __shared__ float As[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    As[ty][tx] = A[ty * TILE + tx];
    __syncthreads();
    float acc = 0.0f;
    for (int k = 0; k < TILE; k++)
        acc += As[ty][k] * As[k][tx];
    __syncthreads();
    As[ty][tx] = acc;
    __syncthreads();
    C[tx * TILE + ty] = As[tx][ty];
}

int main() {
    static float host[256];
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof *in);
    cudaMemset(in, 0, 256 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    square<<<1, dim3(TILE, TILE)>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

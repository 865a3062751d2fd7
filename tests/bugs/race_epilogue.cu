// The tile of A is not needed any more, so the epilogue puts the results there, to write them out in another order.
// Warps that are still in the last product read results where A should be. Larger tiles make it likelier.
// finding: race 15 16
#include <cstdio>

#define TILE 16

__global__ void square(const float *A, float *C) {
    __shared__ float As[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    As[ty][tx] = A[ty * TILE + tx];
    __syncthreads();
    float acc = 0.0f;
    for (int k = 0; k < TILE; k++)
        acc += As[ty][k] * As[k][tx]; // <- race
    As[ty][tx] = acc;                 // <- race
    __syncthreads();
    C[tx * TILE + ty] = As[ty][tx] + As[ty][0];
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

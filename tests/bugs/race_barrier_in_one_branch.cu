// Somebody saved a barrier: "the first tile needs it, later ones are protected by the barrier at the end of the loop".
// That one protects the old tile from the new one, not the readers of the new one from its writers.
// finding: race 14 19
// finding: race 15 19
#include <cstdio>

#define TILE 16

__global__ void multiply(const float *A, float *C, int K) {
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[ty][tx] = A[ty * K + k0 + tx]; // <- race
        Bs[ty][tx] = A[tx * K + k0 + ty]; // <- race
        if (k0 == 0)
            __syncthreads();
        for (int k = 0; k < TILE; k++)
            acc += As[ty][k] * Bs[k][tx]; // <- race
        __syncthreads();
    }
    C[ty * TILE + tx] = acc;
}

int main() {
    static float host[256];
    float *in, *out;
    cudaMalloc(&in, 768 * sizeof *in);
    cudaMemset(in, 0, 768 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    multiply<<<1, dim3(TILE, TILE)>>>(in, out, 48);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

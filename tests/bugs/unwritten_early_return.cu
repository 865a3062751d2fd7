// Threads whose row of C does not exist return at once, before they have stored their row of B. Others need that row.
// The guard belongs at the store of C.
// finding: unwritten 18
#include <cstdio>

#define TILE 16

__global__ void multiply(const float *A, float *C, int M) {
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    if (ty >= M)
        return;
    As[ty][tx] = A[ty * TILE + tx];
    Bs[ty][tx] = A[tx];
    __syncthreads();
    float acc = 0.0f;
    for (int k = 0; k < TILE; k++)
        acc += As[ty][k] * Bs[k][tx]; // <- unwritten
    C[ty * TILE + tx] = acc;
}

int main() {
    static float host[160];
    float *in, *out;
    cudaMalloc(&in, 160 * sizeof *in);
    cudaMemset(in, 0, 160 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    multiply<<<1, dim3(TILE, TILE)>>>(in, out, 10);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

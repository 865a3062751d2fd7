// The grid is rounded up to whole blocks of 8 rows, and the kernel asks only whether the column exists. The rows below
// C are written over whatever lies there; C itself is right, so a test of the result passes.
// finding: out-of-bounds 9
#include <cstdio>

__global__ void fill(float *C, int N) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < N)
        C[row * N + col] = 1.0f; // <- out-of-bounds
}

int main() {
    static float host[260];
    float *out;
    cudaMalloc(&out, sizeof host);
    fill<<<dim3(1, 2), dim3(32, 8)>>>(out, 20);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// The loop runs to a multiple of 8, and the load of A is guarded by N, the columns of B and C, instead of K, its own.
// Where N is larger, rows of A run into the next row, which B's zero hides, and the last row runs past the end.
// finding: out-of-bounds 10
#include <cstdio>

__global__ void multiply(const float *A, float *C, int N, int K) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    float acc = 0.0f;
    for (int k = 0; k < (K + 7) / 8 * 8; k++) {
        const float a = k < N ? A[row * K + k] : 0.0f; // <- out-of-bounds
        const float b = k < K ? A[k] : 0.0f;
        acc += a * b;
    }
    if (col < N)
        C[row * N + col] = acc;
}

int main() {
    static float host[150];
    float *in, *out;
    cudaMalloc(&in, 85 * sizeof *in);
    cudaMemset(in, 0, 85 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    multiply<<<dim3(1, 5), 64>>>(in, out, 30, 17);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

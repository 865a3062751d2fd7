// A longest common subsequence along diagonals with two rows only: the row that is being written is still being read.
// finding: race 14 15
#include <cstdio>

__global__ void longest(const int *in, int *out, int n) {
    __shared__ int rows[2][65];
    const int t = threadIdx.x;
    for (int i = t; i < 2 * 65; i += 64)
        rows[i / 65][i % 65] = 0;
    __syncthreads();
    for (int sum = 2; sum <= 2 * n; sum++) {
        const int i = t + 1, j = sum - i;
        if (i <= n && j >= 1 && j <= n) {
            const int diagonal = rows[sum % 2][i - 1];              // <- race
            rows[sum % 2][i] = diagonal + (in[i - 1] == in[j - 1]); // <- race
        }
        __syncthreads();
    }
    if (t == 0)
        *out = rows[0][n];
}

int main() {
    static int host[64];
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMemset(in, 0, sizeof host);
    cudaMalloc(&out, sizeof host);
    longest<<<1, 64>>>(in, out, 64);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", (double)host[0]);
    return 0;
}

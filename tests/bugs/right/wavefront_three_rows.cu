// A longest common subsequence along diagonals: each needs the two before it, so three rows go round, one barrier each.
// no finding
#include <cstdio>

__global__ void longest(const int *in, int *out, int n) {
    __shared__ int rows[3][65];
    const int t = threadIdx.x;
    for (int i = t; i < 3 * 65; i += 64)
        rows[i / 65][i % 65] = 0;
    __syncthreads();
    for (int sum = 2; sum <= 2 * n; sum++) {
        const int i = t + 1, j = sum - i;
        if (i <= n && j >= 1 && j <= n) {
            const int *before = rows[(sum + 2) % 3], *diagonal = rows[(sum + 1) % 3];
            rows[sum % 3][i] = in[i - 1] == in[j - 1] ? diagonal[i - 1] + 1 : max(before[i - 1], before[i]);
        }
        __syncthreads();
    }
    if (t == 0)
        *out = rows[2 * n % 3][n];
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

// A transpose without padding: the column is exchanged by exclusive or with the row, so each element has one place.
// no finding
#include <cstdio>

__global__ void transpose(const int *in, int *out, int n) {
    __shared__ int tile[16 * 16];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y * 16 + (x ^ y)] = in[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x];
    __syncthreads();
    out[(blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x] = tile[x * 16 + (y ^ x)];
}

int main() {
    static int host[2304];
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMemset(in, 0, sizeof host);
    cudaMalloc(&out, sizeof host);
    transpose<<<dim3(3, 3), dim3(16, 16)>>>(in, out, 48);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", (double)host[0]);
    return 0;
}

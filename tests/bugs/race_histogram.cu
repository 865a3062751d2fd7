// Counts with ++ in shared memory. Reading, adding and writing are three steps, and two threads that hold the same
// number between them count once. atomicAdd() is needed.
// finding: race 11 11
#include <cstdio>

__global__ void histogram(const int *in, int *out) {
    __shared__ int bins[64];
    const int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    bins[(in[t] + t) % 8]++; // <- race
    __syncthreads();
    out[t] = bins[t];
}

int main() {
    static int host[64];
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    histogram<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    return 0;
}

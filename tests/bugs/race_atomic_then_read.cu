// Every thread counts itself, and the last thread reads the sum: of those that came before, it hopes. Atomic updates do not
// wait for each other; the sum needs a barrier. Here the reader updated the place last itself, so only the updates before
// its own are in the way.
// finding: race 13 15
#include <cstdio>

__global__ void count(int *out) {
    __shared__ int n;
    const int t = threadIdx.x;
    if (t == 0)
        n = 0;
    __syncthreads();
    atomicAdd(&n, 1); // <- race
    if (t == 63)
        out[0] = n; // <- race
}

int main() {
    int *out;
    cudaMalloc(&out, sizeof *out);
    count<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    int host = 0;
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host);
    return 0;
}

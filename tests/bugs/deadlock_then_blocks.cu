// Every other block comes to a deadlock. The blocks after it must begin at the beginning: they have no mistake.
// finding: deadlock 10 11
#include <cstdio>

__global__ void swap_neighbours(float *out) {
    __shared__ float row[64];
    const int t = threadIdx.x;
    row[t] = out[blockIdx.x * 64 + t];
    if (blockIdx.x % 2 == 0 && t < 8)
        __shfl_sync(0xffffffff, t, 0); // <- deadlock
    __syncthreads();                   // <- deadlock
    out[blockIdx.x * 64 + t] = row[t ^ 1];
}

int main() {
    static float host[10 * 64];
    float *out;
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(out, host, sizeof host, cudaMemcpyHostToDevice);
    swap_neighbours<<<10, 64>>>(out);
    swap_neighbours<<<10, 64>>>(out);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

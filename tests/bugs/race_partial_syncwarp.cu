// Lanes 0, 1 and 2 read what lane 3 then overwrites, but the mask of __syncwarp() leaves lane 2 out: nothing holds it back
// or waits for it.
// finding: race 12 16
#include <cstdio>

__global__ void overwrite(int *out) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    int v = 0;
    s[t] = t;
    __syncthreads();
    if (t < 3) v = s[0]; // <- race
    if (t == 0 || t == 1 || t == 3)
        __syncwarp(0xb);
    if (t == 3)
        s[0] = 7; // <- race
    __syncthreads();
    out[t] = v + s[t ^ 1];
}

int main() {
    static int host[32];
    int *out;
    cudaMalloc(&out, sizeof host);
    overwrite<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[2]);
    return 0;
}

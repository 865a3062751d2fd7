// __launch_bounds__(128) lets the compiler use as many registers as 128 threads can have. Somebody tried blocks of 256:
// the launch is refused, however few registers it uses.
// finding: launch 12
#include <cstdio>

__global__ void __launch_bounds__(128) fill(float *out) { out[threadIdx.x] = 1.0f; }

int main() {
    static float host[256];
    float *out;
    cudaMalloc(&out, sizeof host);
    fill<<<1, 256>>>(out); // <- launch
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// A block of 64 x 32 threads; 1024 is the most. The kernel never runs, which is quick, and whoever does not ask for the
// error measures a record.
// finding: launch 12
#include <cstdio>

__global__ void fill(float *out) { out[threadIdx.y * blockDim.x + threadIdx.x] = 1.0f; }

int main() {
    static float host[2048];
    float *out;
    cudaMalloc(&out, sizeof host);
    fill<<<1, dim3(64, 32)>>>(out); // <- launch
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

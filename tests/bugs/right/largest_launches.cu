// Launches at the limits: 1024 threads, 65535 blocks along y, exactly 48 KiB of static shared memory, exactly as many
// threads as __launch_bounds__ allows.
// no finding
#include <cstdio>

__global__ void __launch_bounds__(1024) many_threads(float *out) { out[threadIdx.x] = 1.0f; }

__global__ void many_blocks(float *out) {
    if (blockIdx.y == gridDim.y - 1)
        *out = 2.0f;
}

__global__ void much_shared(float *out) {
    __shared__ float big[48 * 256];
    big[48 * 256 - 1 - threadIdx.x] = 3.0f;
    __syncthreads();
    out[threadIdx.x] = big[48 * 256 - 64 + threadIdx.x];
}

int main() {
    static float host[1024];
    float *out;
    cudaMalloc(&out, sizeof host);
    many_threads<<<1, 1024>>>(out);
    many_blocks<<<dim3(1, 65535), 1>>>(out);
    much_shared<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// All of a block's shared memory: 256 threads copy a tile of halves by cp.async into rows padded by 16 bytes and
// multiply 16 x 16 of it by 16 x 8 of it. expect: sum of a row: 120
#include "ptx.cuh"
#include <cstdio>
#include <cuda_fp16.h>
#include <vector>

enum { ROWS = 256, CHUNKS = 8, PITCH = CHUNKS + 1, SHARED = 227 << 10 };

__global__ void async_tile(const uint4 *in, float *out) {
    extern __shared__ __align__(1024) unsigned char smem[];
    const int t = threadIdx.x, lane = t % 32;
    for (int i = t; i < ROWS * CHUNKS; i += 256)
        cp_async_16(smem + 16 * (i / CHUNKS * PITCH + i % CHUNKS), in + i);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    uint32_t a[4], b[2] = {0x3c003c00, 0x3c003c00}; // ones
    float sums[4] = {0, 0, 0, 0};
    ldmatrix_x4(a, smem + 16 * (lane % 16 * PITCH + lane / 16));
    mma_16x8x16(sums, a, b, __half());
    if (t == 0)
        out[0] = sums[0];
    reinterpret_cast<float *>(smem)[SHARED / 4 - 256 + t] = sums[0]; // the last bytes
}

int main() {
    std::vector<__half> tile(ROWS * CHUNKS * 8);
    for (size_t i = 0; i < tile.size(); i++)
        tile[i] = __float2half(static_cast<float>(i % 64));
    uint4 *in;
    float *out, sum = 0;
    cudaMalloc(&in, tile.size() * sizeof(__half));
    cudaMalloc(&out, sizeof sum);
    cudaMemcpy(in, tile.data(), tile.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaFuncSetAttribute(async_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    async_tile<<<1, 256, SHARED>>>(in, out);
    cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
    printf("sum of a row: %g\n", static_cast<double>(sum));
    cudaFree(in);
    cudaFree(out);
    return 0;
}

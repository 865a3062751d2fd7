// A tiled matrix product, with the tiles in static shared memory and carved out of dynamic shared memory.
// expect: static: 0 wrong
// expect: dynamic: 0 wrong
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <stdio.h>
#include <vector>

#define TILE 16

__global__ void matmul_static(const float *A, const float *B, float *C, int width) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < (width + TILE - 1) / TILE; ++t) {
        const int k_a = t * TILE + threadIdx.x, k_b = t * TILE + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < width && k_a < width ? A[row * width + k_a] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = k_b < width && col < width ? B[k_b * width + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k)
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < width && col < width)
        C[row * width + col] = sum;
}

__global__ void matmul_dynamic(const float *A, const float *B, float *C, int width, int tile) {
    extern __shared__ float tiles[];
    float *As = tiles, *Bs = &tiles[tile * tile];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;
    float sum = 0.0f;
    for (int first = 0; first < width; first += tile) {
        As[ty * tile + tx] = row < width && first + tx < width ? A[row * width + first + tx] : 0.0f;
        Bs[ty * tile + tx] = first + ty < width && col < width ? B[(first + ty) * width + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < tile; ++k)
            sum += As[ty * tile + k] * Bs[k * tile + tx];
        __syncthreads();
    }
    if (row < width && col < width)
        C[row * width + col] = sum;
}

static int count_wrong(const std::vector<float> &A, const std::vector<float> &B, const float *C, int width) {
    int wrong = 0;
    for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j) {
            float expected = 0.0f;
            for (int k = 0; k < width; ++k)
                expected += A[i * width + k] * B[k * width + j];
            wrong += C[i * width + j] != expected; // small integers: every order of summation is exact
        }
    return wrong;
}

int main() {
    const int width = 75;
    const size_t size = width * width * sizeof(float);
    std::vector<float> A(width * width), B(width * width), C(width * width);
    for (int i = 0; i < width * width; ++i) {
        A[i] = float(i * 7 % 13 - 6);
        B[i] = float(i * 5 % 11 - 5);
    }
    float *dA, *dB, *dC;
    cudaMalloc(&dA, size);
    cudaMalloc(&dB, size);
    cudaMalloc(&dC, size);
    cudaMemcpy(dA, A.data(), size, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), size, cudaMemcpyHostToDevice);

    dim3 block(TILE, TILE);
    dim3 grid((width + block.x - 1) / block.x, (width + block.y - 1) / block.y);
    matmul_static<<<grid, block>>>(dA, dB, dC, width);
    cudaMemcpy(C.data(), dC, size, cudaMemcpyDeviceToHost);
    printf("static: %d wrong\n", count_wrong(A, B, C.data(), width));

    const int tile = 8;
    cudaMemset(dC, 0, size);
    matmul_dynamic<<<dim3((width + tile - 1) / tile, (width + tile - 1) / tile), // one block a tile of C
                     dim3(tile, tile), 2 * tile * tile * sizeof(float)>>>(dA, dB, dC, width, tile);
    cudaMemcpy(C.data(), dC, size, cudaMemcpyDeviceToHost);
    printf("dynamic: %d wrong\n", count_wrong(A, B, C.data(), width));
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}

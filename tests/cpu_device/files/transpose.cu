// The transpose in three steps: naive, through shared memory, and with a padded tile, picked from a table of kernels.
// expect: naive ok
// expect: shared ok
// expect: padded ok
#include "cuda_runtime.h"
#include <cstdio>
#include <memory>

constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

__global__ void transpose_naive(float *__restrict__ out, const float *__restrict__ in, int rows, int cols) {
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < cols && y + j < rows)
            out[x * rows + y + j] = in[(y + j) * cols + x];
}

template <int PAD>
__global__ void __launch_bounds__(TILE_DIM *BLOCK_ROWS)
    transpose_tiled(float *__restrict__ out, const float *__restrict__ in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + PAD];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < cols && y + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < rows && y + j < cols)
            out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

typedef void (*transpose_kernel)(float *, const float *, int, int);

struct Variant {
    const char *name;
    transpose_kernel kernel;
};

int main(int argc, char **argv) {
    (void)argc;
    (void)argv;
    const int rows = 129, cols = 70, n = rows * cols;
    const Variant variants[] = {
        {"naive", transpose_naive}, {"shared", transpose_tiled<0>}, {"padded", &transpose_tiled<1>}};
    std::unique_ptr<float[]> in(new float[n]), out(new float[n]);
    for (int i = 0; i < n; i++)
        in[i] = float(i);
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof *d_in);
    cudaMalloc(&d_out, n * sizeof *d_out);
    cudaMemcpy(d_in, in.get(), n * sizeof(float), cudaMemcpyHostToDevice);
    const dim3 grid((cols + TILE_DIM - 1) / TILE_DIM, (rows + TILE_DIM - 1) / TILE_DIM), block(TILE_DIM, BLOCK_ROWS);
    for (const Variant &variant : variants) {
        cudaMemset(d_out, 0xff, n * sizeof(float));
        variant.kernel<<<grid, block>>>(d_out, d_in, rows, cols);
        cudaMemcpy(out.get(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
        bool ok = true;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++)
                ok = ok && out[j * rows + i] == in[i * cols + j];
        printf("%s %s\n", variant.name, ok ? "ok" : "WRONG");
    }
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}

// Rows with a pitch: cudaMallocPitch, cudaMemcpy2D, cudaMemset2D, and a kernel over a two-dimensional grid.
// expect: pitch 512, interior sum 1410, border ok
#include <cstdio>
#include <cstring>

__device__ __forceinline__ float *row_of(float *base, size_t pitch, int row) {
    return (float *)((char *)base + row * pitch);
}

__global__ void scale_interior(float *image, size_t pitch, int width, int height, float factor) {
    const int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
        row_of(image, pitch, y)[x] *= factor;
}

int main() {
    enum { WIDTH = 96, HEIGHT = 7 };
    float host[HEIGHT][WIDTH], back[HEIGHT][WIDTH + 1];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            host[y][x] = 1.0f;
    float *image;
    size_t pitch;
    if (cudaMallocPitch(&image, &pitch, WIDTH * sizeof(float), HEIGHT) != cudaSuccess)
        return 1;
    cudaMemset2D(image, pitch, 0, WIDTH * sizeof(float), HEIGHT);
    cudaMemcpy2D(image, pitch, host, sizeof host[0], sizeof host[0], HEIGHT, cudaMemcpyHostToDevice);
    dim3 threads(16, 4, 1), blocks((WIDTH + threads.x - 1) / threads.x, (HEIGHT + threads.y - 1) / threads.y, 1);
    scale_interior<<<blocks, threads>>>(image, pitch, WIDTH, HEIGHT, 3.0f);
    memset(back, 0, sizeof back);
    cudaMemcpy2DAsync(back, sizeof back[0], image, pitch, WIDTH * sizeof(float), HEIGHT, cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    float sum = 0;
    bool border = true;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const bool inside = x > 0 && y > 0 && x < WIDTH - 1 && y < HEIGHT - 1;
            sum += inside ? back[y][x] : 0;
            border = border && (inside || back[y][x] == 1.0f) && back[y][WIDTH] == 0.0f;
        }
    printf("pitch %zu, interior sum %g, border %s\n", pitch, sum, border ? "ok" : "WRONG");
    cudaFree(image);
}

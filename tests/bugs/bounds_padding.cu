// The last column reads its right neighbour, for which the tile should have been one column wider. The element that it
// gets is the first of the next row: inside the array, so no checker of addresses says anything.
// finding: array-bounds 15
#include <cstdio>

#define TILE 16

__global__ void differences(const float *in, float *out) {
    __shared__ float tile[TILE + 1][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    tile[ty][tx] = in[ty * TILE + tx];
    if (ty == 0)
        tile[TILE][tx] = 0.0f;
    __syncthreads();
    out[ty * TILE + tx] = tile[ty][tx + 1] - tile[ty][tx]; // <- array-bounds
}

int main() {
    static float host[256];
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof *in);
    cudaMemset(in, 0, 256 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    differences<<<1, dim3(TILE, TILE)>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

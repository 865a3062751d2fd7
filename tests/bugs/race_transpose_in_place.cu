// Transposes a tile in place: read the mirrored element, write the own one. A barrier is missing between the two, since
// the mirrored element is somebody else's own one. A single warp in step would get away with it; this block has eight.
// finding: race 13 14
#include <cstdio>

#define TILE 16

__global__ void transpose(const float *in, float *out) {
    __shared__ float tile[TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    tile[ty][tx] = in[ty * TILE + tx];
    __syncthreads();
    const float mirrored = tile[tx][ty]; // <- race
    tile[ty][tx] = mirrored;             // <- race
    __syncthreads();
    out[ty * TILE + tx] = tile[ty][tx] + tile[0][tx];
}

int main() {
    static float host[256];
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof *in);
    cudaMemset(in, 0, 256 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    transpose<<<1, dim3(TILE, TILE)>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Row and column are exchanged in a tile that is not square. tile[tx][ty] with ty up to 31 in rows of 8 is another
// element of the same array, or beyond it. With a square tile the exchange would be a transposition.
// finding: array-bounds 11
#include <cstdio>

__global__ void transpose(const float *in, float *out) {
    __shared__ float tile[32][8];
    const int tx = threadIdx.x, ty = threadIdx.y;
    tile[ty][tx] = in[ty * 8 + tx];
    __syncthreads();
    out[tx * 32 + ty] = tile[tx][ty]; // <- array-bounds
}

int main() {
    static float host[256];
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof *in);
    cudaMemset(in, 0, 256 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    transpose<<<1, dim3(8, 32)>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// A block of 16 x 8 threads stores a tile of 16 x 16 as if each thread had one element. The lower half is never stored:
// each thread has to store two rows.
// finding: unwritten 13
#include <cstdio>

__global__ void columns(const float *in, float *out) {
    __shared__ float tile[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    tile[ty][tx] = in[ty * 16 + tx];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 16; k++)
        sum += tile[k][tx]; // <- unwritten
    out[ty * 16 + tx] = sum;
}

int main() {
    static float host[128];
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof *in);
    cudaMemset(in, 0, 256 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    columns<<<1, dim3(16, 8)>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

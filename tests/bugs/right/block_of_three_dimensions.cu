// A block of 4 x 4 x 6 threads, three warps, fills a box and reads it the other way round.
// no finding
#include <cstdio>

__global__ void turn(const float *in, float *out) {
    __shared__ float box[6][4][4];
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, i = (z * 4 + y) * 4 + x;
    box[z][y][x] = in[i];
    __syncthreads();
    out[i] = box[5 - z][3 - y][3 - x];
}

int main() {
    static float host[96];
    float *in, *out;
    cudaMalloc(&in, 96 * sizeof *in);
    cudaMemset(in, 0, 96 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    turn<<<1, dim3(4, 4, 6)>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// A sum in one warp through shared memory, with __syncwarp() between reading and writing and between the steps. No
// barrier of the block is needed, as each warp has a row of its own.
// no finding
#include <cstdio>

__global__ void sums(const float *in, float *out) {
    __shared__ float rows[2][64];
    const int t = threadIdx.x, lane = t % 32;
    float *row = rows[t / 32];
    row[lane] = in[t];
    row[lane + 32] = 0.0f;
    __syncwarp();
    for (int distance = 16; distance > 0; distance /= 2) {
        const float sum = row[lane] + row[lane + distance];
        __syncwarp();
        row[lane] = sum;
        __syncwarp();
    }
    out[t] = row[0];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sums<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// One warp fetches the next tile while three work on this one; all come to the same barriers.
// no finding
#include <cstdio>

__global__ void sum(const float *in, float *out, int tiles) {
    __shared__ float buffers[2][96];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float acc = 0.0f;
    if (warp == 0)
        for (int i = lane; i < 96; i += 32)
            buffers[0][i] = in[i];
    __syncthreads();
    for (int tile = 0; tile < tiles; tile++) {
        if (warp > 0) {
            acc += buffers[tile % 2][(warp - 1) * 32 + 31 - lane];
        } else if (tile + 1 < tiles) {
            for (int i = lane; i < 96; i += 32)
                buffers[(tile + 1) % 2][i] = in[(tile + 1) * 96 + i];
        }
        __syncthreads();
    }
    if (warp > 0)
        out[threadIdx.x - 32] = acc;
}

int main() {
    static float host[960];
    float *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMemset(in, 0, sizeof host);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 128>>>(in, out, 10);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", (double)host[0]);
    return 0;
}

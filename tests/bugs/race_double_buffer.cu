// Fetches two tiles ahead with two buffers: the tile after the next one goes into the buffer that is being read. Two
// ahead needs three buffers, or a barrier between the last read and the store.
// finding: race 14 16
#include <cstdio>

__global__ void sum(const float *in, float *out, int tiles) {
    __shared__ float buffers[2][64];
    const int t = threadIdx.x;
    float acc = 0.0f;
    buffers[0][t] = in[t];
    buffers[1][t] = in[64 + t];
    __syncthreads();
    for (int i = 0; i < tiles; i++) {
        acc += buffers[i % 2][63 - t]; // <- race
        if (i + 2 < tiles)
            buffers[(i + 2) % 2][t] = in[(i + 2) * 64 + t]; // <- race
        __syncthreads();
    }
    out[t] = acc;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 320 * sizeof *in);
    cudaMemset(in, 0, 320 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 64>>>(in, out, 5);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Two buffers and one barrier a round. The store goes into the buffer that was read in the round before, and the
// barrier at the end of that round lies between.
// no finding
#include <cstdio>

__global__ void sum(const float *in, float *out, int tiles) {
    __shared__ float buffers[2][64];
    const int t = threadIdx.x;
    float acc = 0.0f;
    buffers[0][t] = in[t];
    __syncthreads();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles)
            buffers[(i + 1) % 2][t] = in[(i + 1) * 64 + t];
        acc += buffers[i % 2][63 - t];
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

// Two tiles ahead with three buffers: the buffer that is stored was read one round ago. One tile is less than the
// pipeline is long, and the fetches that do not exist are left out.
// no finding
#include <cstdio>

#define STAGES 3

__global__ void sum(const float *in, float *out, int tiles) {
    __shared__ float buffers[STAGES][64];
    const int t = threadIdx.x;
    float acc = 0.0f;
    for (int s = 0; s < STAGES - 1; s++)
        if (s < tiles)
            buffers[s][t] = in[s * 64 + t];
    for (int i = 0; i < tiles; i++) {
        __syncthreads();
        const int next = i + STAGES - 1;
        if (next < tiles)
            buffers[next % STAGES][t] = in[next * 64 + t];
        acc += buffers[i % STAGES][63 - t];
    }
    out[t] = acc;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 448 * sizeof *in);
    cudaMemset(in, 0, 448 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 64>>>(in, out, 7);
    sum<<<1, 64>>>(in, out, 1);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// One warp fetches and one computes, and each announces with a barrier of its own that it is done. It works on most
// GPUs, because both warps arrive equally often; named barriers (bar.sync 1) are the way to do this.
// finding: divergent-barrier 13 16
#include <cstdio>

__global__ void roles(const float *in, float *out, int rounds) {
    __shared__ float row[32];
    const int t = threadIdx.x;
    float acc = 0.0f;
    for (int i = 0; i < rounds; i++) {
        if (t < 32) {
            row[t] = in[i * 32 + t];
            __syncthreads(); // <- divergent-barrier
        } else {
            acc *= 0.5f;
            __syncthreads(); // <- divergent-barrier
            acc += row[63 - t];
        }
        __syncthreads();
    }
    out[t] = acc;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 96 * sizeof *in);
    cudaMemset(in, 0, 96 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    roles<<<1, 64>>>(in, out, 3);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

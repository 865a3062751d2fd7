// The block leaves a loop with barriers when a shared counter says so. All threads read it between the same two
// barriers, so all leave in the same round.
// no finding
#include <cstdio>

__global__ void halve(const float *in, float *out, int most) {
    __shared__ int rounds;
    float v = in[threadIdx.x] + 8.0f;
    for (;;) {
        if (threadIdx.x == 0)
            rounds = v < 1.0f ? most : 0;
        __syncthreads();
        const int stop = rounds;
        __syncthreads();
        if (stop == most)
            break;
        v *= 0.5f;
    }
    out[threadIdx.x] = v;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    halve<<<1, 64>>>(in, out, 5);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

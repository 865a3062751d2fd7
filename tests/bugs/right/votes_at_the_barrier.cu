// Barriers that also count or vote separate writers from readers as __syncthreads() does.
// no finding
#include <cstdio>

__global__ void votes(const float *in, float *out) {
    __shared__ float row[64];
    const int t = threadIdx.x;
    row[t] = in[t];
    const int count = __syncthreads_count(in[t] < 1.0f);
    const float other = row[63 - t];
    const int any = __syncthreads_or(t == 5);
    row[t] = other + count;
    const int all = __syncthreads_and(t >= 0);
    out[t] = row[(t + 1) % 64] + any + all;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    votes<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

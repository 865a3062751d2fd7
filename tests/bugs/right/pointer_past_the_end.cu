// Pointers one past the end, of global and of shared memory, are formed and compared, but nothing is read there.
// no finding
#include <cstdio>

__global__ void sum(const float *in, float *out, int n) {
    __shared__ float row[64];
    const int t = threadIdx.x;
    row[t] = in[t];
    __syncthreads();
    float acc = 0.0f;
    for (const float *p = row + t; p < row + 64; p++)
        acc += *p;
    for (const float *p = in + t, *end = &in[n]; p < end; p += 7)
        acc += *p;
    out[t] = acc;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 64>>>(in, out, 64);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// The guard of the last block encloses a barrier. Threads without an element go past it and wait at the next one. For
// sizes that are whole blocks there is no such thread.
// finding: divergent-barrier 12 15
#include <cstdio>

__global__ void reverse(const float *in, float *out, int n) {
    __shared__ float row[64];
    const int t = threadIdx.x;
    float v = 0.0f;
    if (t < n) {
        row[t] = in[t];
        __syncthreads(); // <- divergent-barrier
        v = row[n - 1 - t];
    }
    __syncthreads(); // <- divergent-barrier
    out[t] = v;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 50 * sizeof *in);
    cudaMemset(in, 0, 50 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    reverse<<<1, 64>>>(in, out, 50);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

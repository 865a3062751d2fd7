// Floats are stored and read as bytes by other threads behind a barrier: another type and another size, the same
// memory.
// no finding
#include <cstdio>

__global__ void bytes(const float *in, float *out) {
    __shared__ float row[64];
    const int t = threadIdx.x;
    row[t] = in[t] + 1.0f;
    __syncthreads();
    const unsigned char *parts = reinterpret_cast<const unsigned char *>(row);
    out[t] = parts[4 * (63 - t) + 3] + parts[t];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    bytes<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// The kernel needs 65 words of dynamic shared memory and is launched with 64. A GPU hands out shared memory in larger
// pieces, so the word beyond mostly exists.
// finding: out-of-bounds 11
#include <cstdio>

__global__ void differences(const float *in, float *out) {
    extern __shared__ float row[];
    const int t = threadIdx.x;
    row[t] = in[t];
    __syncthreads();
    out[t] = row[t + 1] - row[t]; // <- out-of-bounds
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    differences<<<1, 64, 64 * sizeof(float)>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

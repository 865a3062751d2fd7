// Thread 0 has no left neighbour. Index -1 reads what lies before the array in shared memory: another array of the
// kernel, or memory that the system keeps.
// finding: array-bounds 11
#include <cstdio>

__global__ void differences(const float *in, float *out) {
    __shared__ float row[64];
    const int t = threadIdx.x;
    row[t] = in[t];
    __syncthreads();
    out[t] = row[t] - row[t - 1]; // <- array-bounds
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    differences<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

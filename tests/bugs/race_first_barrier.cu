// A block reverses 64 numbers by way of shared memory, but nobody waits until they are there. Within a warp the stores
// happen to come first, so only the numbers that another warp brings are wrong, and only now and then.
// finding: race 9 10
#include <cstdio>

__global__ void reverse(const float *in, float *out) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = in[t];       // <- race
    out[t] = tile[63 - t]; // <- race
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    reverse<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

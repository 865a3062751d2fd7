// The first lane of each warp stores the largest number of its warp, all in one word instead of one for each warp. The
// warp that stores last wins, and that is mostly the same one, so the test passes.
// finding: race 12 12
#include <cstdio>

__global__ void largest(const int *in, int *out) {
    __shared__ int best;
    int value = in[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2)
        value = max(value, __shfl_xor_sync(0xffffffff, value, distance));
    if (threadIdx.x % 32 == 0)
        best = value; // <- race
    __syncthreads();
    out[threadIdx.x] = best;
}

int main() {
    static int host[64];
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    largest<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    return 0;
}

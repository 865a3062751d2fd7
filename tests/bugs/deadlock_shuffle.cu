// Half of a warp calls a shuffle that names the whole warp, the other half waits at the barrier behind it. Each half
// waits for the other; on a GPU the kernel hangs, or goes on with values that are not there.
// finding: deadlock 9 10
#include <cstdio>

__global__ void spread(const float *in, float *out) {
    float v = in[threadIdx.x];
    if (threadIdx.x < 16)
        v = __shfl_sync(0xffffffff, v, 0); // <- deadlock
    __syncthreads();                       // <- deadlock
    out[threadIdx.x] = v;
}

int main() {
    static float host[32];
    float *in, *out;
    cudaMalloc(&in, 32 * sizeof *in);
    cudaMemset(in, 0, 32 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    spread<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Memory that does not come from cudaMalloc(), but that a kernel may use: managed, pinned by the host, and variables of
// the device, some of them constant.
// no finding
#include <cstdio>

__device__ float factors[64];
__constant__ float offset[1];

__global__ void combine(const float *managed, const float *pinned, float *out) {
    const int t = threadIdx.x;
    factors[t] = 2.0f;
    out[t] = factors[t] * managed[t] + pinned[t] + offset[0];
}

int main() {
    static float host[64];
    float *out;
    cudaMalloc(&out, sizeof host);
    float *managed, *pinned;
    cudaMallocManaged(&managed, 64 * sizeof *managed);
    cudaMallocHost((void **)&pinned, 64 * sizeof *pinned);
    for (int i = 0; i < 64; i++)
        managed[i] = pinned[i] = (float)i;
    combine<<<1, 64>>>(managed, pinned, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

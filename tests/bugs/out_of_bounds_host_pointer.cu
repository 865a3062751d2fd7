// The kernel gets the host's pointer instead of the device's. Most GPUs cannot read host memory from malloc(); the
// launch fails with an illegal address.
// finding: out-of-bounds 8
#include <cstdio>
#include <cstdlib>

__global__ void scale(const float *in, float *out) {
    out[threadIdx.x] = 2.0f * in[threadIdx.x]; // <- out-of-bounds
}

int main() {
    static float host[64];
    float *out;
    cudaMalloc(&out, sizeof host);
    float *numbers = (float *)calloc(64, sizeof *numbers);
    scale<<<1, 64>>>(numbers, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    free(numbers);
    return 0;
}

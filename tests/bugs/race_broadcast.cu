// Thread 0 fetches a factor for the whole block, and only its own warp can hope to see it in time.
// finding: race 9 10
#include <cstdio>

__global__ void scale(const float *in, float *out) {
    __shared__ float factor;
    const int t = threadIdx.x;
    if (t == 0)
        factor = in[64];     // <- race
    out[t] = factor * in[t]; // <- race
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 65 * sizeof *in);
    cudaMemset(in, 0, 65 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    scale<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

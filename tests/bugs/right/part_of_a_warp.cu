// The last warp has 16 threads, and half of another takes part in a shuffle: the masks name exactly the lanes that
// come.
// no finding
#include <cstdio>

__global__ void spread(const float *in, float *out) {
    const int t = threadIdx.x;
    float v = in[t];
    if (t < 16 || t >= 32)
        v = __shfl_sync(0xffff, v, 3);
    else
        v = __shfl_sync(0xffff0000, v, 20);
    __syncthreads();
    out[t] = v;
}

int main() {
    static float host[48];
    float *in, *out;
    cudaMalloc(&in, 48 * sizeof *in);
    cudaMemset(in, 0, 48 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    spread<<<1, 48>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

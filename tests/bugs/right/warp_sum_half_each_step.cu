// In each step of a tree only the lower half works, and reads what the upper half does not write any more: one
// __syncwarp() a step is enough, as reader and writer of an element are the same thread or one step apart.
// no finding
#include <cstdio>

__global__ void sum(const float *in, float *out) {
    __shared__ float row[32];
    const int t = threadIdx.x;
    row[t] = in[t];
    for (int distance = 16; distance > 0; distance /= 2) {
        __syncwarp();
        if (t < distance)
            row[t] += row[t + distance];
    }
    if (t == 0)
        *out = row[0];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 32 * sizeof *in);
    cudaMemset(in, 0, 32 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Arrays of a thread's own, with an index that is known only when it runs, and a pointer to one handed to a function.
// Threads use the same names, and different memory.
// no finding
#include <cstdio>

__device__ void rotate(float *values, int by) {
    const float first = values[0];
    for (int i = 0; i < 3; i++)
        values[i] = values[i + 1] + by;
    values[3] = first;
}

__global__ void sort_a_little(const float *in, float *out) {
    float values[4];
    const int t = threadIdx.x;
    for (int i = 0; i < 4; i++)
        values[(i + t) % 4] = in[t] + i;
    rotate(values, t % 3);
    out[t] = values[t % 4];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sort_a_little<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Dynamic shared memory is carved into 33 flags of a byte and then floats, which so begin at an odd address. What needs
// the largest alignment should come first.
// finding: misaligned 12
#include <cstdio>

__global__ void select(const float *in, float *out, int flags) {
    extern __shared__ __align__(16) unsigned char parts[];
    unsigned char *flag = parts;
    float *values = reinterpret_cast<float *>(parts + flags);
    const int t = threadIdx.x;
    flag[t] = in[t] > 0.0f;
    values[t] = in[t]; // <- misaligned
    __syncthreads();
    out[t] = flag[31 - t] ? values[31 - t] : 0.0f;
}

int main() {
    static float host[32];
    float *in, *out;
    cudaMalloc(&in, 32 * sizeof *in);
    cudaMemset(in, 0, 32 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    select<<<1, 32, 33 + 32 * sizeof(float)>>>(in, out, 33);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

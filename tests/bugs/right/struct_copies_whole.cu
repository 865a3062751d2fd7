// Structures that are copied as a whole, and read member by member.
// no finding
#include <cstdio>

struct Four {
    float x, y, z, w;
};

__global__ void reverse(const Four *in, float *out) {
    __shared__ Four q[64];
    const int t = threadIdx.x;
    q[t] = in[t];
    __syncthreads();
    out[t] = q[63 - t].z;
}

int main() {
    static float host[64];
    Four *in;
    float *out;
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

// A structure is copied to one place too far: the last thread writes behind the end.
// finding: out-of-bounds 8
#include <cstdio>

struct Four {
    float x, y, z, w;
};
__global__ void shift(const Four *in, Four *out) { out[threadIdx.x + 1] = in[threadIdx.x]; } // <- out-of-bounds

int main() {
    static Four host[32];
    Four *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMemset(in, 0, sizeof host);
    cudaMalloc(&out, sizeof host);
    shift<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[1].x);
    return 0;
}

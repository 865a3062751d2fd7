// Structures of 12 and 16 bytes move through shared memory as a whole and in parts.
// no finding
#include <cstdio>

struct point {
    float x, y, z;
};

__global__ void mirror(const float *in, float *out) {
    __shared__ point points[64];
    __shared__ float4 fours[64];
    const int t = threadIdx.x;
    points[t] = {in[t], in[t] + 1.0f, in[t] + 2.0f};
    fours[t] = make_float4(in[t], 1.0f, 2.0f, 3.0f);
    __syncthreads();
    const point p = points[63 - t];
    const float4 v = fours[63 - t];
    out[t] = p.x + p.y + points[t].z + v.x + v.w + fours[t].y;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    mirror<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// A tile padded by four floats against bank conflicts and read by float4. The padding itself is never stored nor read.
// no finding
#include <cstdio>

__global__ void sum_rows(const float *in, float *out) {
    __shared__ __align__(16) float tile[32][32 + 4];
    const int t = threadIdx.x;
    for (int r = 0; r < 32; r++)
        tile[r][t] = in[r * 32 + t];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < 32; i += 4) {
        const float4 v = *reinterpret_cast<const float4 *>(&tile[t][i]);
        sum += v.x + v.y + v.z + v.w;
    }
    out[t] = sum;
}

int main() {
    static float host[32];
    float *in, *out;
    cudaMalloc(&in, 1024 * sizeof *in);
    cudaMemset(in, 0, 1024 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum_rows<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

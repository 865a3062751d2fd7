// Rows of 20 floats are fetched float by float, but only 18 of them; then they are read as float4. The last float4 of a row
// ends with two floats that nobody wrote.
// finding: unwritten 14
#include <cstdio>

__global__ void sum(const float *in, float *out) {
    __shared__ __align__(16) float rows[8][20];
    const int t = threadIdx.x;
    for (int e = t; e < 8 * 18; e += 32)
        rows[e / 18][e % 18] = in[e];
    __syncthreads();
    float acc = 0.0f;
    for (int c = 0; c < 20; c += 4) {
        const float4 v = *(const float4 *)&rows[t % 8][c]; // <- unwritten
        acc += v.x + v.y + v.z + v.w;
    }
    out[t] = acc;
}

int main() {
    static float host[32];
    float *in, *out;
    cudaMalloc(&in, 8 * 18 * sizeof *in);
    cudaMemset(in, 0, 8 * 18 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    sum<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

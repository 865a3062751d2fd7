// Four floats at a time as far as they go, and the last three one by one. 103 floats are 412 bytes, of which all are
// read and none beyond.
// no finding
#include <cstdio>

__global__ void scale(const float *in, float *out, int n) {
    const int i = 4 * threadIdx.x;
    if (i + 4 <= n) {
        float4 v = *reinterpret_cast<const float4 *>(&in[i]);
        v.x *= 2.0f, v.y *= 2.0f, v.z *= 2.0f, v.w *= 2.0f;
        *reinterpret_cast<float4 *>(&out[i]) = v;
    } else {
        for (int j = i; j < n; j++)
            out[j] = 2.0f * in[j];
    }
}

int main() {
    static float host[103];
    float *in, *out;
    cudaMalloc(&in, 103 * sizeof *in);
    cudaMemset(in, 0, 103 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    scale<<<1, 32>>>(in, out, 103);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// Dynamic shared memory carved into doubles, floats and bytes, the largest alignment first, to the last byte.
// no finding
#include <cstdio>

__global__ void carve(const float *in, float *out, int n) {
    extern __shared__ __align__(16) unsigned char parts[];
    double *doubles = reinterpret_cast<double *>(parts);
    float *floats = reinterpret_cast<float *>(doubles + n);
    unsigned char *bytes = reinterpret_cast<unsigned char *>(floats + n);
    const int t = threadIdx.x;
    doubles[t] = in[t];
    floats[t] = in[t];
    bytes[t] = (unsigned char)t;
    __syncthreads();
    out[t] = (float)doubles[n - 1 - t] + floats[n - 1 - t] + bytes[n - 1 - t];
}

int main() {
    static float host[33];
    float *in, *out;
    cudaMalloc(&in, 33 * sizeof *in);
    cudaMemset(in, 0, 33 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    carve<<<1, 33, 33 * (sizeof(double) + sizeof(float) + 1)>>>(in, out, 33);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

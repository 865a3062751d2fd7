// A sum over the block that keeps its partial sums in shared memory is right when it is called once. When it is called
// again at once, a fast warp stores its second partial sum while a slow one still reads the first.
// finding: race 11 13
#include <cstdio>

__device__ float block_sum(float value) {
    __shared__ float partial[2];
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffff, value, distance);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = value; // <- race
    __syncthreads();
    return partial[0] + partial[1]; // <- race
}

__global__ void variance(const float *in, float *out) {
    const float mean = block_sum(in[threadIdx.x]) / 64;
    const float d = in[threadIdx.x] - mean;
    out[threadIdx.x] = block_sum(d * d) / 64;
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    variance<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

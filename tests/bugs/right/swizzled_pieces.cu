// Chunks change places by XOR, copies and ldmatrix agree on them, and the products go where A was behind a barrier.
// no finding
#include "../../../common/kernel/ptx.cuh"
#include <cstdio>

__global__ void multiply(const __half *in, float *out) {
    extern __shared__ __align__(1024) unsigned char smem[];
    __half(*const A)[64] = (__half(*)[64])smem;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const auto place = [](int row, int col) { return col ^ row % 8 * 8; };
    for (int i = t; i < 32 * 8; i += 64)
        cp_async_16(&A[i / 8][place(i / 8, i % 8 * 8)], &in[i * 8]);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    float acc[4] = {};
    for (int k = 0; k < 64; k += 16) {
        uint32_t a[4], b[4];
        ldmatrix_x4(a, &A[warp * 16 + lane % 16][place(lane % 16, k + lane / 16 * 8)]);
        ldmatrix_x4_trans(b, &A[k / 4 + lane % 16][place(k / 4 + lane % 16, lane / 16 * 8)]);
        mma_16x8x16(acc, a, {b[0], b[1]}, __half());
    }
    __syncthreads();
    float(*const products)[16][8 + 2] = (float(*)[16][8 + 2]) smem;
    for (int i = 0; i < 4; i++)
        products[warp][lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2] = acc[i];
    __syncwarp();
    out[t] = products[warp][lane % 16][lane / 16];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 1024 * sizeof *in);
    cudaMemset(in, 0, 1024 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    multiply<<<1, 64, 32 * 64 * sizeof(__half)>>>((const __half *)in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

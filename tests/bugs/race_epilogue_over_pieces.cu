// Two warps multiply 16 x 16 of A by 16 x 8 of B each, and put their products where A and B were, to write them out by
// rows. The first warp that is done overwrites what the other one still fetches: a barrier belongs before the stores.
// finding: race 21 29
#include "../../common/kernel/ptx.cuh"
#include <cstdio>

enum { PAD = 8 };

__global__ void multiply(const __half *in, float *out) {
    extern __shared__ __align__(1024) unsigned char smem[];
    __half(*const A)[16 + PAD] = (__half(*)[16 + PAD]) smem;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    cp_async_16(&A[t / 2][t % 2 * 8], &in[t * 8]);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    float acc[4] = {};
    for (int piece = 0; piece < 2; piece++) {
        uint32_t a[4];
        // Both warps read both pieces.
        ldmatrix_x4(a, &A[piece * 16 + lane % 16][lane / 16 * 8]); // <- race
        mma_16x8x16(acc, a, {a[warp], a[warp + 2]}, __half());
    }
    float(*const products)[16][8 + 2] = (float(*)[16][8 + 2]) smem;
    for (int i = 0; i < 4; i++) {
        const int row = lane / 4 + i / 2 * 8;
        const int col = lane % 4 * 2 + i % 2;
        // Each into its warp's share.
        products[warp][row][col] = acc[i]; // <- race
    }
    __syncwarp();
    out[t] = products[warp][lane % 16][lane / 16];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 256 * sizeof *in);
    cudaMemset(in, 0, 256 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    multiply<<<1, 64, 32 * (16 + PAD) * sizeof(__half)>>>((const __half *)in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

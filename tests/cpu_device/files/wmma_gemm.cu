// A product of halves with WMMA: each warp has a 16 x 16 piece of C and stages nothing.
// expect: wmma ok, largest error below 0.01
#include <cmath>
#include <cstdio>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>

using namespace nvcuda;

__global__ void wmma_gemm(const half *A, const half *B, float *C, int M, int N, int K) {
    const int warp_m = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int warp_n = blockIdx.y * blockDim.y + threadIdx.y;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    if (warp_m * 16 >= M || warp_n * 16 >= N)
        return;
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(a, A + warp_m * 16 * K + k, K);
        wmma::load_matrix_sync(b, B + k * N + warp_n * 16, N);
        wmma::mma_sync(acc, a, b, acc);
    }
    wmma::store_matrix_sync(C + warp_m * 16 * N + warp_n * 16, acc, N, wmma::mem_row_major);
}

int main() {
    const int M = 64, N = 48, K = 80;
    std::vector<half> a(M * K), b(K * N);
    std::vector<float> c(M * N);
    for (int i = 0; i < M * K; i++)
        a[i] = __float2half((float)((i * 7) % 13 - 6) / 8);
    for (int i = 0; i < K * N; i++)
        b[i] = __float2half((float)((i * 5) % 11 - 5) / 8);
    half *A, *B;
    float *C;
    cudaMalloc(&A, a.size() * sizeof(half));
    cudaMalloc(&B, b.size() * sizeof(half));
    cudaMalloc(&C, c.size() * sizeof(float));
    cudaMemcpy(A, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice);
    cudaMemcpy(B, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice);
    dim3 block(128, 4), grid((M + 63) / 64, (N + 63) / 64);
    wmma_gemm<<<grid, block>>>(A, B, C, M, N, K);
    cudaMemcpy(c.data(), C, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    float worst = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float want = 0;
            for (int k = 0; k < K; k++)
                want += __half2float(a[i * K + k]) * __half2float(b[k * N + j]);
            worst = std::fmax(worst, std::fabs(want - c[i * N + j]));
        }
    printf("wmma %s, largest error %s 0.01\n", worst < 0.01f ? "ok" : "wrong", worst < 0.01f ? "below" : "not below");
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return 0;
}

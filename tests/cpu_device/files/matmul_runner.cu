// A matrix product with a runner: the first argument picks the kernel, events time it, a loop on the host checks it.
// arguments: 2
// expect: kernel 2 (block tile with 4 results a thread): ok
// expect: timed
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))

void cudaCheck(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) {
        printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}
#define cudaCheck(err) (cudaCheck(err, __FILE__, __LINE__))

__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
    const uint x = blockIdx.x * blockDim.x + threadIdx.x;
    const uint y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < M && y < N) {
        float tmp = 0.0;
        for (int i = 0; i < K; ++i)
            tmp += A[x * K + i] * B[i * N + y];
        C[x * N + y] = alpha * tmp + beta * C[x * N + y];
    }
}

template <const int BLOCKSIZE>
__global__ void sgemm_coalesced(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                float *C) {
    const int row = blockIdx.x * BLOCKSIZE + (threadIdx.x / BLOCKSIZE);
    const int col = blockIdx.y * BLOCKSIZE + (threadIdx.x % BLOCKSIZE);
    if (row < M && col < N) {
        float tmp = 0.0;
        for (int i = 0; i < K; ++i)
            tmp += A[row * K + i] * B[i * N + col];
        C[row * N + col] = alpha * tmp + beta * C[row * N + col];
    }
}

template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm_block_tile(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                                 float *C) {
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const uint thread_col = threadIdx.x % BN, thread_row = threadIdx.x / BN;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    float results[TM] = {0.0};
    for (uint first = 0; first < K; first += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += blockDim.x)
            As[i] = A[i / BK * K + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += blockDim.x)
            Bs[i] = B[i / BN * N + i % BN];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (uint k = 0; k < BK; ++k) {
            const float b = Bs[k * BN + thread_col];
            for (uint r = 0; r < TM; ++r)
                results[r] += As[(thread_row * TM + r) * BK + k] * b;
        }
        __syncthreads();
    }
    for (uint r = 0; r < TM; ++r) {
        float *c = &C[(thread_row * TM + r) * N + thread_col];
        *c = alpha * results[r] + beta * *c;
    }
}

const char *run_kernel(int number, int M, int N, int K, float alpha, float *A, float *B, float beta, float *C) {
    switch (number) {
    case 0: {
        dim3 gridDim(CEIL_DIV(M, 32), CEIL_DIV(N, 32)); // hides the built-in variable, as runners like to do
        dim3 blockDim(32, 32);
        sgemm_naive<<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
        return "naive";
    }
    case 1: {
        dim3 gridDim(CEIL_DIV(M, 32), CEIL_DIV(N, 32));
        dim3 blockDim(32 * 32);
        sgemm_coalesced<32><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
        return "coalesced";
    }
    case 2: {
        const uint BM = 32;
        const uint BN = 32;
        const uint BK = 8;
        const uint TM = 4;
        dim3 gridDim(CEIL_DIV(N, BN), CEIL_DIV(M, BM));
        dim3 blockDim((BM * BN) / TM);
        sgemm_block_tile<BM, BN, BK, TM><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
        return "block tile with 4 results a thread";
    }
    default:
        return nullptr;
    }
}

int main(int argc, char **argv) {
    if (argc != 2) {
        printf("Please select a kernel (0-2)\n");
        return EXIT_FAILURE;
    }
    const int number = atoi(argv[1]), size = 128;
    const float alpha = 0.5f, beta = 3.0f;
    std::mt19937 generator(7);
    std::uniform_int_distribution<int> digits(-4, 4);
    std::vector<float> A(size * size), B(size * size), C(size * size), C_ref;
    for (auto *matrix : {&A, &B, &C})
        std::generate(matrix->begin(), matrix->end(), [&] { return float(digits(generator)); });
    C_ref = C;
    float *dA = nullptr, *dB = nullptr, *dC = nullptr;
    const size_t bytes = sizeof(float) * size * size;
    cudaCheck(cudaMalloc((void **)&dA, bytes));
    cudaCheck(cudaMalloc((void **)&dB, bytes));
    cudaCheck(cudaMalloc((void **)&dC, bytes));
    cudaCheck(cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(dB, B.data(), bytes, cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(dC, C.data(), bytes, cudaMemcpyHostToDevice));
    cudaEvent_t beg, end;
    cudaEventCreate(&beg);
    cudaEventCreate(&end);
    cudaEventRecord(beg);
    const char *name = run_kernel(number, size, size, size, alpha, dA, dB, beta, dC);
    cudaEventRecord(end);
    cudaEventSynchronize(beg);
    cudaEventSynchronize(end);
    float elapsed = 0;
    cudaEventElapsedTime(&elapsed, beg, end);
    cudaCheck(cudaDeviceSynchronize());
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(C.data(), dC, bytes, cudaMemcpyDeviceToHost));
    bool ok = name != nullptr;
    for (int i = 0; i < size && ok; i++)
        for (int j = 0; j < size; j++) {
            float sum = 0;
            for (int k = 0; k < size; k++)
                sum += A[i * size + k] * B[k * size + j];
            ok = ok && C[i * size + j] == alpha * sum + beta * C_ref[i * size + j];
        }
    printf("kernel %d (%s): %s\n%s\n", number, name, ok ? "ok" : "WRONG", elapsed > 0 ? "timed" : "not timed");
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

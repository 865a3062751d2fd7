// Prefix sums in three launches: scan each block (up-sweep and down-sweep), scan the blocks' sums, add them back.
// expect: last 48755000, 0 wrong
#include <cstdio>
#include <vector>

static inline void check(cudaError_t code, const char *file, int line, bool abort = true) {
    if (code == cudaSuccess)
        return;
    std::fprintf(stderr, "%s %s %d\n", cudaGetErrorString(code), file, line);
    if (abort)
        exit(code);
}
#define gpuErrchk(ans)                                                                                                 \
    { check((ans), __FILE__, __LINE__); }

template <typename T, int N> __global__ void scan_block(const T *in, T *out, T *sums, int n) {
    __shared__ T temp[N];
    const int thid = threadIdx.x, base = blockIdx.x * N;
    temp[2 * thid] = base + 2 * thid < n ? in[base + 2 * thid] : T{};
    temp[2 * thid + 1] = base + 2 * thid + 1 < n ? in[base + 2 * thid + 1] : T{};
    int offset = 1;
    for (int d = N >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d)
            temp[offset * (2 * thid + 2) - 1] += temp[offset * (2 * thid + 1) - 1];
        offset <<= 1;
    }
    if (thid == 0) {
        if (sums)
            sums[blockIdx.x] = temp[N - 1];
        temp[N - 1] = T{};
    }
    for (int d = 1; d < N; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            const int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
            const T t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    for (int i = 2 * thid; i < 2 * thid + 2; ++i)
        if (base + i < n)
            out[base + i] = temp[i];
}

template <typename T> __global__ void add_sums(T *out, const T *sums, int n, int per_block) {
    const int i = blockIdx.x * per_block + threadIdx.x;
    if (threadIdx.x < per_block && i < n)
        out[i] += sums[blockIdx.x];
}

int main() {
    constexpr int n = 10001, per_block = 256, blocks = (n + per_block - 1) / per_block;
    std::vector<unsigned long long> host(n), result(n);
    for (int i = 0; i < n; ++i)
        host[i] = i % 2 ? 9751 : 0;
    unsigned long long *in, *out, *sums;
    gpuErrchk(cudaMalloc(&in, n * sizeof *in));
    gpuErrchk(cudaMalloc(&out, n * sizeof *out));
    gpuErrchk(cudaMalloc(&sums, blocks * sizeof *sums));
    gpuErrchk(cudaMemcpy(in, host.data(), n * sizeof *in, cudaMemcpyDefault));
    scan_block<unsigned long long, per_block><<<blocks, per_block / 2>>>(in, out, sums, n);
    gpuErrchk(cudaPeekAtLastError());
    scan_block<unsigned long long, per_block><<<1, per_block / 2>>>(sums, sums, nullptr, blocks);
    add_sums<<<blocks, per_block>>>(out, sums, n, per_block);
    gpuErrchk(cudaDeviceSynchronize());
    gpuErrchk(cudaMemcpy(result.data(), out, n * sizeof *out, cudaMemcpyDefault));
    int wrong = 0;
    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i) {
        wrong += result[i] != sum;
        sum += host[i];
    }
    std::printf("last %llu, %d wrong\n", result[n - 1], wrong);
    cudaFree(in);
    cudaFree(out);
    cudaFree(sums);
    return 0;
}

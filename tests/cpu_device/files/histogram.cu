// A histogram of bytes with one copy of the bins in each block's shared memory, and its checks with the other atomics.
// expect: 100000 counted, fullest bin 101 with 1564
// expect: and 0xf0, or 0xff, xor 0, max 255, min 0, ticket 4 of 0..9
#include <cstdio>

#define NUM_BINS 256

__global__ void histogram(const unsigned char *data, unsigned int *bins, int n) {
    __shared__ unsigned int local[NUM_BINS];
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&local[data[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        if (local[b] != 0)
            atomicAdd(&bins[b], local[b]);
}

struct Summary {
    unsigned int all_and, any_or, all_xor;
    int largest, smallest;
    unsigned int ticket;
};

__device__ Summary summary;

__global__ void summarize(const unsigned char *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAnd(&summary.all_and, 0xf0u | data[i]);
    atomicOr(&summary.any_or, data[i]);
    atomicXor(&summary.all_xor, data[i]);
    atomicXor(&summary.all_xor, data[i]);
    atomicMax(&summary.largest, (int)data[i]);
    atomicMin(&summary.smallest, (int)data[i]);
    atomicInc(&summary.ticket, 9); // n mod 10 in the end
}

int main() {
    const int n = 100000;
    static unsigned char host[n];
    unsigned int state = 12345u;
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        host[i] = i % 64 == 0 ? 101 : (unsigned char)(i % 256 == 101 ? 7 : (i * 31 + i / 256) & 255);
        if (host[i] == 101 && i % 64 != 0)
            host[i] = 102;
    }
    host[n - 1] = 101;
    unsigned char *data;
    unsigned int *bins, counts[NUM_BINS];
    cudaMalloc((void **)&data, n);
    cudaMalloc((void **)&bins, sizeof counts);
    cudaMemset(bins, 0, sizeof counts);
    cudaMemcpy(data, host, n, cudaMemcpyHostToDevice);
    histogram<<<20, 128>>>(data, bins, n);
    cudaMemcpy(counts, bins, sizeof counts, cudaMemcpyDeviceToHost);
    unsigned int total = 0;
    int fullest = 0;
    for (int b = 0; b < NUM_BINS; b++) {
        total += counts[b];
        if (counts[b] > counts[fullest])
            fullest = b;
    }
    printf("%u counted, fullest bin %d with %u\n", total, fullest, counts[fullest]);

    const int few = 10004;
    Summary s = {~0u, 0u, 0u, -1, 1000, 0u};
    cudaMemcpyToSymbol(summary, &s, sizeof(Summary));
    summarize<<<(few + 255) / 256, 256>>>(data, few);
    cudaMemcpyFromSymbol(&s, summary, sizeof(Summary));
    printf("and 0x%x, or 0x%x, xor %u, max %d, min %d, ticket %u of 0..9\n", s.all_and & 0xff, s.any_or, s.all_xor,
           s.largest, s.smallest, s.ticket);
    cudaFree(data);
    cudaFree(bins);
    return 0;
}

// Pi by throwing darts: every thread owns a linear congruential generator, a device function of a struct.
// expect: pi is 3.14 within 0.01
#include <cmath>
#include <cstdio>

struct Lcg {
    unsigned long long state;
    __host__ __device__ explicit Lcg(unsigned long long seed)
        : state(seed * 6364136223846793005ULL + 1442695040888963407ULL) {
        next();
    }
    __host__ __device__ unsigned int next() {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return (unsigned int)(state >> 33) << 1;
    }
    __host__ __device__ float uniform() { return (float)(next() >> 8) * (1.0f / 16777216.0f); }
};

__global__ void throw_darts(unsigned long long *hits, int darts) {
    Lcg random(1 + threadIdx.x + blockIdx.x * blockDim.x);
    unsigned int inside = 0;
    for (int i = 0; i < darts; i++) {
        float x = random.uniform(), y = random.uniform();
        if (x * x + y * y <= 1.0f)
            ++inside;
    }
    for (int offset = 16; offset; offset >>= 1)
        inside += __shfl_xor_sync(0xffffffffu, inside, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, (unsigned long long)inside);
}

int main(int argc, char *argv[]) {
    const int darts = argc > 1 ? atoi(argv[1]) : 200;
    unsigned long long *hits, total = 0;
    cudaMalloc(&hits, sizeof *hits);
    cudaMemcpy(hits, &total, sizeof total, cudaMemcpyHostToDevice);
    throw_darts<<<64, 128>>>(hits, darts);
    cudaMemcpy(&total, hits, sizeof total, cudaMemcpyDeviceToHost);
    const double pi = 4.0 * (double)total / (64.0 * 128.0 * darts);
    printf("pi is 3.14 %s 0.01\n", fabs(pi - M_PI) < 0.01 ? "within" : "NOT within");
    cudaFree(hits);
    return 0;
}

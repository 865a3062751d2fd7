#include "value.cuh"

#include <cuda_runtime.h>

__global__ void store(int *out) { *out = VALUE; }

int main() {
    int *out;
    if (cudaMalloc(&out, sizeof *out) != cudaSuccess)
        return 1;
    store<<<1, 1>>>(out);
    return cudaDeviceSynchronize() == cudaSuccess && *out == EXPECTED ? 0 : 1;
}

// printf in a kernel, and an assertion that fails in one: the launch fails, the program goes on.
// expect: block 0, thread 2 says 0x1f 2.50
// expect: assertion: device-side assert triggered (cudaErrorAssert)
// expect: still: device-side assert triggered
// expect: after a reset: no error
#include <cassert>
#include <cstdio>

__global__ void speak(float value) {
    if (threadIdx.x == 2)
        printf("block %d, thread %u says 0x%x %.2f\n", blockIdx.x, threadIdx.x, 31, value);
    assert(blockDim.x == 4);
}

__global__ void must_be_even(const int *values) { assert(values[threadIdx.x] % 2 == 0); }

int main() {
    speak<<<1, 4>>>(2.5f);
    cudaDeviceSynchronize();
    int *values;
    cudaMallocManaged((void **)&values, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        values[i] = i == 40 ? 41 : 2 * i;
    must_be_even<<<1, 64>>>(values);
    cudaError_t error = cudaDeviceSynchronize();
    printf("assertion: %s (%s)\n", cudaGetErrorString(error), cudaGetErrorName(error));
    speak<<<1, 4>>>(0.0f);
    printf("still: %s\n", cudaGetErrorString(cudaGetLastError()));
    cudaDeviceReset();
    printf("after a reset: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

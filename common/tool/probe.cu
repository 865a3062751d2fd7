/* Answers one question for ./ladder: does this GPU run what this compiler makes? Prints the GPU's name, or why not. */
#include <cstdio>

__global__ void square(int *values) { values[threadIdx.x] = static_cast<int>(threadIdx.x * threadIdx.x); }

static int fail(const char *what, cudaError_t error) {
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    return 1;
}

int main() {
    enum { COUNT = 32 };
    int host[COUNT] = {0}, *device = nullptr;
    cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    if (error != cudaSuccess)
        return fail("no usable GPU", error);
    error = cudaMalloc(&device, sizeof host);
    if (error != cudaSuccess)
        return fail("no GPU memory", error);
    square<<<1, COUNT>>>(device);
    error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess)
        return fail("a kernel does not run", error);
    for (int i = 0; i < COUNT; ++i)
        if (host[i] != i * i)
            return std::printf("a kernel ran and gave a wrong result\n"), 1;
    std::printf("%s\n", properties.name);
    return 0;
}

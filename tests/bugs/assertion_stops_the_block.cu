// A race, but before the barrier at which it would be told an assertion stops the block. Which warps have run by then
// depends on their order: nothing is told, and no read is called unwritten because the writer has not run.
// no finding
#include <cassert>
#include <cstdio>

__global__ void sums(float *out) {
    __shared__ float row[96];
    const int t = threadIdx.x;
    if (t < 32)
        row[t] = 1.0f;
    if (t >= 64)
        out[t] = row[t - 64];
    assert(t != 40);
    __syncthreads();
    out[t] = row[t % 32];
}

int main() {
    float *out;
    cudaMalloc(&out, 96 * sizeof *out);
    sums<<<1, 96>>>(out);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

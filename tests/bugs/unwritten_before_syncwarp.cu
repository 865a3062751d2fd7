// The lanes of a warp read before they write: __syncwarp() between the two orders them, so it is no race, but what is
// read is left over from another block.
// finding: unwritten 9
#include <cstdio>

__global__ void neighbours(float *out) {
    __shared__ float row[32];
    const int lane = threadIdx.x;
    const float old = row[lane]; // <- unwritten
    __syncwarp();
    row[lane ^ 1] = old + 1.0f;
    __syncwarp();
    out[lane] = row[lane];
}

int main() {
    float *out;
    cudaMalloc(&out, 32 * sizeof *out);
    neighbours<<<1, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

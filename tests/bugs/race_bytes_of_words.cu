// One warp reads words while another writes their bytes one by one. That is a race and nothing else.
// finding: race 10 13
#include <cstdio>

__global__ void unpack(const unsigned char *from, unsigned *to) {
    __shared__ unsigned row[32];
    const int t = threadIdx.x;
    volatile unsigned char *bytes = reinterpret_cast<unsigned char *>(row);
    if (t < 32) {
        to[t] = row[t]; // <- race
    } else {
        for (int i = 0; i < 4; i++)
            bytes[4 * (t - 32) + i] = from[4 * (t - 32) + i]; // <- race
    }
}

int main() {
    unsigned char *from;
    unsigned *to;
    cudaMalloc(&from, 128);
    cudaMalloc(&to, 128);
    cudaMemset(from, 1, 128);
    unpack<<<1, 64>>>(from, to);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

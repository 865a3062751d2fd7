// Prefix sums: shuffles in each warp, one warp over the sums of the warps, and a carry from piece to piece.
// no finding
#include <cstdio>

__device__ int scan_warp(int value) {
    for (int distance = 1; distance < 32; distance *= 2) {
        const int below = __shfl_up_sync(0xffffffff, value, distance);
        if (threadIdx.x % 32 >= distance)
            value += below;
    }
    return value;
}

__global__ void scan(const int *in, int *out, int count) {
    __shared__ int sums[4], carry;
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    if (t == 0)
        carry = 0;
    for (int base = 0; base < count; base += 128) {
        const int i = base + t;
        int value = scan_warp(i < count ? in[i] + 1 : 0);
        if (lane == 31)
            sums[warp] = value;
        __syncthreads();
        if (warp == 0) {
            const int sum = scan_warp(lane < 4 ? sums[lane] : 0);
            if (lane < 4)
                sums[lane] = sum;
        }
        __syncthreads();
        value += carry + (warp > 0 ? sums[warp - 1] : 0);
        if (i < count)
            out[i] = value;
        __syncthreads();
        if (t == 127)
            carry = value;
    }
}

int main() {
    static int host[300];
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMemset(in, 0, sizeof host);
    cudaMalloc(&out, sizeof host);
    scan<<<1, 128>>>(in, out, 300);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", (double)host[0]);
    return 0;
}

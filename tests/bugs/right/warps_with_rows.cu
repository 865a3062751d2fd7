// Each warp stores and reads rows of its own, and waits with __syncwarp() only. That the warps use one array does not
// matter.
// no finding
#include <cstdio>

__global__ void transpose_rows(const float *in, float *out) {
    __shared__ float rows[4][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int r = 0; r < 3; r++) {
        rows[warp][lane] = in[threadIdx.x] + r;
        __syncwarp();
        out[r * 128 + threadIdx.x] = rows[warp][31 - lane];
        __syncwarp();
    }
}

int main() {
    static float host[384];
    float *in, *out;
    cudaMalloc(&in, 128 * sizeof *in);
    cudaMemset(in, 0, 128 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    transpose_rows<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// A bitonic sort: in each round a thread exchanges two elements that are its own in this round, and whose they are
// changes behind the barrier.
// no finding
#include <cstdio>

__global__ void sort(const int *in, int *out) {
    __shared__ int s[128];
    const int t = threadIdx.x;
    s[t] = in[t] + t * 37 % 128;
    s[t + 64] = in[t + 64] - t;
    for (int size = 2; size <= 128; size *= 2)
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            const int a = 2 * t - (t & (distance - 1)), b = a + distance;
            if ((s[a] > s[b]) == !(a & size)) {
                const int swap = s[a];
                s[a] = s[b];
                s[b] = swap;
            }
        }
    __syncthreads();
    out[t] = s[t];
    out[t + 64] = s[t + 64];
}

int main() {
    static int host[128];
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMemset(in, 0, sizeof host);
    cudaMalloc(&out, sizeof host);
    sort<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", (double)host[0]);
    return 0;
}

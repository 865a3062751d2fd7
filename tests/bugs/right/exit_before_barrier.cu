// Threads without an element return before the barrier. A barrier waits only for threads that have not exited, and
// nobody reads what they would have stored.
// no finding
#include <cstdio>

__global__ void reverse(const float *in, float *out, int n) {
    __shared__ float row[64];
    const int t = threadIdx.x;
    if (t >= n)
        return;
    row[t] = in[t];
    __syncthreads();
    out[t] = row[n - 1 - t];
}

int main() {
    static float host[64];
    float *in, *out;
    cudaMalloc(&in, 50 * sizeof *in);
    cudaMemset(in, 0, 50 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    reverse<<<1, 64>>>(in, out, 50);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

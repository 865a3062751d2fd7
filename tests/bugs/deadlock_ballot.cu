// The last block has 20 elements, and its other threads go past the vote, which names all 32 lanes, to the barrier. The
// mask must come from a vote of everybody, before the branch.
// finding: deadlock 10 11
#include <cstdio>

__global__ void count(const float *in, float *out, int n) {
    const int t = threadIdx.x;
    unsigned negative = 0;
    if (t < n)
        negative = __ballot_sync(0xffffffff, in[t] < 0.0f); // <- deadlock
    __syncthreads();                                        // <- deadlock
    out[t] = (float)__popc(negative);
}

int main() {
    static float host[32];
    float *in, *out;
    cudaMalloc(&in, 20 * sizeof *in);
    cudaMemset(in, 0, 20 * sizeof *in);
    cudaMalloc(&out, sizeof host);
    count<<<1, 32>>>(in, out, 20);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    return 0;
}

// The usual search for the largest: members are stored one by one, the structure is copied as a whole, and its padding with
// it, which nobody has written.
// no finding
#include <cstdio>

struct Pair {
    double value;
    int index;
};

__global__ void argmax(const double *x, int *out) {
    __shared__ Pair s[64];
    const int t = threadIdx.x;
    s[t].value = x[t];
    s[t].index = t;
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (t < d && s[t + d].value > s[t].value)
            s[t] = s[t + d];
        __syncthreads();
    }
    if (t == 0)
        *out = s[0].index;
}

int main() {
    static double host[64];
    for (int i = 0; i < 64; i++)
        host[i] = i;
    double *x;
    int *out;
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&out, sizeof *out);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    argmax<<<1, 64>>>(x, out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}

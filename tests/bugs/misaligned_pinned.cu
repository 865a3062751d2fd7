// A float4 from host memory that is made for the device: the alignment is that of any other memory.
// finding: misaligned 6
#include <cstdio>

__global__ void sum(const float *numbers, float *out) {
    const float4 v = *reinterpret_cast<const float4 *>(numbers + 1); // <- misaligned
    out[0] = v.x + v.y + v.z + v.w;
}

int main() {
    float *numbers, *out;
    cudaMallocHost(&numbers, 64 * sizeof *numbers);
    cudaMalloc(&out, sizeof *out);
    for (int i = 0; i < 64; i++)
        numbers[i] = 1.0f;
    sum<<<1, 1>>>(numbers, out);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

// A convolution in one dimension with the mask in constant memory and the halo in shared memory.
// expect: 4000 outputs, 0 wrong; doubled mask: 0 wrong
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define RADIUS 4
#define MASK_LENGTH (2 * RADIUS + 1)
#define BLOCK 128

__constant__ float mask[MASK_LENGTH];

__global__ void convolve(const float *input, float *output, int length) {
    __shared__ float segment[BLOCK + 2 * RADIUS];
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int s = threadIdx.x + RADIUS;
    segment[s] = g < length ? input[g] : 0.0f;
    if (threadIdx.x < RADIUS) {
        int left = g - RADIUS, right = g + BLOCK;
        segment[s - RADIUS] = left >= 0 ? input[left] : 0.0f;
        segment[s + BLOCK] = right < length ? input[right] : 0.0f;
    }
    __syncthreads();
    if (g >= length)
        return;
    float sum = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += segment[s + k] * mask[k + RADIUS];
    output[g] = sum;
}

static int wrong_outputs(const float *in, const float *out, const float *h_mask, int length) {
    int wrong = 0;
    for (int i = 0; i < length; i++) {
        float sum = 0.0f;
        for (int k = -RADIUS; k <= RADIUS; k++)
            if (i + k >= 0 && i + k < length)
                sum += in[i + k] * h_mask[k + RADIUS];
        wrong += sum != out[i];
    }
    return wrong;
}

int main() {
    const int length = 4000;
    float h_mask[MASK_LENGTH] = {1, 2, 3, 4, 5, 4, 3, 2, 1};
    float *in = (float *)malloc(length * sizeof(float)), *out = (float *)malloc(length * sizeof(float));
    for (int i = 0; i < length; i++)
        in[i] = (float)(i * 37 % 101 - 50);
    float *d_in, *d_out;
    assert(cudaMalloc((void **)&d_in, length * sizeof(float)) == cudaSuccess);
    assert(cudaMalloc((void **)&d_out, length * sizeof(float)) == cudaSuccess);
    cudaMemcpy(d_in, in, length * sizeof(float), cudaMemcpyHostToDevice);

    cudaMemcpyToSymbol(mask, h_mask, sizeof(mask));
    convolve<<<(length + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_out, length);
    cudaMemcpy(out, d_out, length * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%d outputs, %d wrong; ", length, wrong_outputs(in, out, h_mask, length));

    for (int k = 0; k < MASK_LENGTH; k++)
        h_mask[k] *= 2;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyToSymbolAsync(mask, h_mask, sizeof(h_mask), 0, cudaMemcpyHostToDevice, stream);
    convolve<<<(length + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(d_in, d_out, length);
    cudaMemcpyAsync(out, d_out, length * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    printf("doubled mask: %d wrong\n", wrong_outputs(in, out, h_mask, length));
    cudaStreamDestroy(stream);
    cudaFree(d_in);
    cudaFree(d_out);
    free(in);
    free(out);
    return 0;
}

// Pinned memory, an array of streams that each work on a part, events between and around them, and a callback.
// expect: 4 streams: 0 wrong
// expect: elapsed time is not negative, stream is idle
// expect: callback got 42
#include <cstdio>
#include <cstdlib>

const int STREAMS = 4;
const int N = 1 << 14;

__global__ void square_plus(int *data, int offset, int add) {
    int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    data[i] = data[i] * data[i] + add;
}

void CUDART_CB on_done(cudaStream_t, cudaError_t status, void *user) {
    printf("callback got %d\n", status == cudaSuccess ? *(int *)user : -1);
}

int main(void) {
    int *h = nullptr, *d = nullptr;
    cudaMallocHost((void **)&h, N * sizeof(int));
    for (int i = 0; i < N; i++)
        h[i] = i % 100;
    cudaStream_t streams[STREAMS];
    for (int i = 0; i < STREAMS; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    cudaEvent_t start, stop, ready[STREAMS];
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaMallocAsync((void **)&d, N * sizeof(int), streams[0]);
    cudaEventRecord(start, 0);
    const int part = N / STREAMS, bytes = part * sizeof(int);
    for (int i = 0; i < STREAMS; i++) {
        const int offset = i * part;
        cudaEventCreateWithFlags(&ready[i], cudaEventDisableTiming);
        cudaMemcpyAsync(&d[offset], &h[offset], bytes, cudaMemcpyHostToDevice, streams[i]);
        square_plus<<<part / 256, 256, 0, streams[i]>>>(d, offset, i);
        cudaMemcpyAsync(&h[offset], &d[offset], bytes, cudaMemcpyDeviceToHost, streams[i]);
        cudaEventRecord(ready[i], streams[i]);
        cudaStreamWaitEvent(streams[0], ready[i], 0);
    }
    cudaEventRecord(stop, 0);
    cudaEventSynchronize(stop);
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += h[i] != (i % 100) * (i % 100) + i / part;
    printf("%d streams: %d wrong\n", STREAMS, wrong);
    float ms = -1.0f;
    cudaEventElapsedTime(&ms, start, stop);
    printf("elapsed time is %snegative, stream is %s\n", ms >= 0 ? "not " : "",
           cudaStreamQuery(streams[1]) == cudaSuccess ? "idle" : "busy");
    int answer = 42;
    cudaStreamAddCallback(streams[0], on_done, &answer, 0);
    cudaFreeAsync(d, streams[0]);
    for (int i = 0; i < STREAMS; i++) {
        cudaStreamSynchronize(streams[i]);
        cudaStreamDestroy(streams[i]);
        cudaEventDestroy(ready[i]);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFreeHost(h);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

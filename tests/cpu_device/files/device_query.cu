// What programs ask of a device before they begin, and the settings that they make.
// expect: 1 device, warp size 32, 1024 threads, 48 KiB, grid y 65535
// expect: attributes agree, constant memory 65536 bytes
// expect: all settings accepted
#include <cstdio>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

__global__ void nothing(int *, int *) {}

int main() {
    int devices = 0, device, warp, sms, peer = 1;
    cudaGetDeviceCount(&devices);
    cudaSetDevice(devices - 1);
    cudaGetDevice(&device);
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, device);
    printf("%d device, warp size %d, %d threads, %zu KiB, grid y %d\n", devices, prop.warpSize, prop.maxThreadsPerBlock,
           prop.sharedMemPerBlock >> 10, prop.maxGridSize[1]);
    cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const bool agree = warp == prop.warpSize && sms == prop.multiProcessorCount && prop.totalGlobalMem > 0 &&
                       prop.clockRate >= 0 && prop.memoryClockRate >= 0 && prop.name[0];
    printf("attributes %s, constant memory %zu bytes\n", agree ? "agree" : "DIFFER", prop.totalConstMem);

    size_t free_bytes, total_bytes, heap;
    int least, greatest, version, blocks;
    cudaStream_t stream;
    float *pinned, *mapped, *managed;
    cudaFuncAttributes attributes;
    const cudaError_t errors[] = {
        cudaMemGetInfo(&free_bytes, &total_bytes),
        cudaDeviceSetCacheConfig(cudaFuncCachePreferShared),
        cudaFuncSetCacheConfig(nothing, cudaFuncCachePreferL1),
        cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20),
        cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize),
        cudaDeviceGetStreamPriorityRange(&least, &greatest),
        cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest),
        cudaHostAlloc((void **)&pinned, 64, cudaHostAllocMapped),
        cudaHostGetDevicePointer((void **)&mapped, pinned, 0),
        cudaMallocManaged(&managed, 4096),
        cudaMemPrefetchAsync(managed, 4096, device, stream),
        cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, cudaCpuDeviceId),
        cudaRuntimeGetVersion(&version),
        cudaDeviceCanAccessPeer(&peer, 0, 0),
        cudaFuncGetAttributes(&attributes, nothing),
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 128, 0),
        cudaProfilerStart(),
        cudaProfilerStop(),
        cudaStreamDestroy(stream),
        cudaFree(managed),
        cudaFreeHost(pinned),
        cudaDeviceReset(),
    };
    int refused = 0;
    for (cudaError_t error : errors)
        refused += error != cudaSuccess;
    printf("%s\n", refused || peer ? "some settings refused" : "all settings accepted");
}

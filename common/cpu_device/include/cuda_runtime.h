/*
 * Stands in for NVIDIA's <cuda_runtime.h> on the CPU device. In C it is the runtime API; in C++17 it is CUDA C as well,
 * once cu2cpp has rewritten the launches.
 */
#ifndef CPU_DEVICE_CUDA_RUNTIME_H
#define CPU_DEVICE_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus

// These come first because some of their code says __attribute__((__noinline__)), which is a macro below.
#include <memory>

// The C names of these two come with overloads for float and for long: ::abs of a float must not be that of int.
#include <math.h>
#include <stdlib.h>

#include <cassert>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#define __global__
#define __device__
#define __host__
// A section of its own tells the profiler's counters constant memory from global; one a line, because variables that
// are const and others that are not may not share one.
#define CPU_DEVICE_SECTION(line) __attribute__((section("cpu_device_constant." #line)))
#define CPU_DEVICE_SECTION_OF(line) CPU_DEVICE_SECTION(line)
#define __constant__ CPU_DEVICE_SECTION_OF(__LINE__)
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
// One OS thread runs one block at a time, so a block's memory is a thread's. At block scope it is static by itself.
#define __shared__ thread_local

#include "cpu_device/block.h"
#include "cpu_device/device_functions.h"
#include "cpu_device/intrinsics.h"
#include "cpu_device/launch.h"
#include "cpu_device/vector_types.h"

template <class T> inline cudaError_t cudaMalloc(T **pointer, size_t size) {
    return ::cudaMalloc(reinterpret_cast<void **>(pointer), size);
}
template <class T> inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags = 0) {
    return ::cudaHostAlloc(reinterpret_cast<void **>(pointer), size, flags);
}
template <class T> inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags) {
    return ::cudaHostAlloc(reinterpret_cast<void **>(pointer), size, flags);
}
template <class T> inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
    return ::cudaMallocPitch(reinterpret_cast<void **>(pointer), pitch, width, height);
}
template <class T>
inline cudaError_t cudaMallocManaged(T **pointer, size_t size, unsigned int flags = cudaMemAttachGlobal) {
    return ::cudaMallocManaged(reinterpret_cast<void **>(pointer), size, flags);
}
template <class T> inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
    return ::cudaMallocAsync(reinterpret_cast<void **>(pointer), size, stream);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T **device_pointer, void *host_pointer, unsigned int flags) {
    return ::cudaHostGetDevicePointer(reinterpret_cast<void **>(device_pointer), host_pointer, flags);
}
// Where managed memory lives makes no difference here. The forms with a device number are those before CUDA 13.
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation, unsigned int, cudaStream_t = nullptr) {
    return cudaSuccess;
}
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = nullptr) { return cudaSuccess; }
inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, cudaMemLocation) { return cudaSuccess; }
inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
template <class T> inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, T *, size_t = 0, unsigned int = 0) {
    return cudaSuccess;
}
template <class T> inline cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config) {
    return ::cudaFuncSetCacheConfig(reinterpret_cast<const void *>(function), config);
}
template <class T> inline cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config) {
    return ::cudaFuncSetSharedMemConfig(reinterpret_cast<const void *>(function), config);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
    return ::cudaEventCreateWithFlags(event, flags);
}
template <class T> inline cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value) {
    return ::cudaFuncSetAttribute(reinterpret_cast<const void *>(function), attribute, value);
}
template <class T> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function) {
    return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(function));
}
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *function, int block_size,
                                                                 size_t dynamic_shared_size) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void *>(function), block_size,
                                                           dynamic_shared_size);
}
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T *function, int block_size,
                                                                          size_t dynamic_shared_size, unsigned int) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_shared_size);
}
// Every multiprocessor holds one block of any size, so the largest keeps it busiest.
template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid_size, int *block_size, T, size_t = 0,
                                                      int block_size_limit = 0) {
    enum { MAX_THREADS = 1024 };
    if (!min_grid_size || !block_size || block_size_limit < 0)
        return cudaErrorInvalidValue;
    *block_size = block_size_limit == 0 || block_size_limit > MAX_THREADS ? MAX_THREADS : block_size_limit;
    return cudaDeviceGetAttribute(min_grid_size, cudaDevAttrMultiProcessorCount, 0);
}
template <class T, class SharedSize>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid_size, int *block_size, T function,
                                                                  SharedSize, int block_size_limit = 0) {
    return cudaOccupancyMaxPotentialBlockSize(min_grid_size, block_size, function, 0, block_size_limit);
}
// args[i] points to argument i. cu2cpp takes a cast to void * off the kernel, so that its parameters are known here.
template <class... Parameters>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **args,
                                    size_t dynamic_shared_size = 0, cudaStream_t stream = nullptr) {
    return cpu_device::launch_with_pointers(kernel, {grid, block, dynamic_shared_size, stream, "", nullptr}, args,
                                            std::index_sequence_for<Parameters...>());
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *source, size_t count, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    if (offset > sizeof(T) || count > sizeof(T) - offset)
        return cudaErrorInvalidValue;
    return ::cudaMemcpy(reinterpret_cast<char *>(&symbol) + offset, source, count, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *destination, const T &symbol, size_t count, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    if (offset > sizeof(T) || count > sizeof(T) - offset)
        return cudaErrorInvalidValue;
    return ::cudaMemcpy(destination, reinterpret_cast<const char *>(&symbol) + offset, count, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *source, size_t count, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t = nullptr) {
    return cudaMemcpyToSymbol(symbol, source, count, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const T &symbol, size_t count, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t = nullptr) {
    return cudaMemcpyFromSymbol(destination, symbol, count, offset, kind);
}
template <class P, class T> inline cudaError_t cudaGetSymbolAddress(P **pointer, const T &symbol) {
    *pointer = reinterpret_cast<P *>(const_cast<T *>(&symbol));
    return cudaSuccess;
}
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *size, const T &) {
    *size = sizeof(T);
    return cudaSuccess;
}

#endif

#endif

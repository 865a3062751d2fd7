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

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#define __global__
#define __device__
#define __host__
// A section of its own tells the profiler's counters constant memory from global; one a line, because variables that are
// const and others that are not may not share one.
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

#endif

#endif

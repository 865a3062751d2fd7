#define _GNU_SOURCE
#include "device.h"

#include "cuda_runtime_api.h"
#include "error.h"
#include "memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_OS_THREADS 1024
/* What a Hopper SM has, for occupancy arithmetic: 228 KiB of shared memory, of which each block costs 1 KiB extra. */
#define SHARED_PER_MULTIPROCESSOR ((size_t)228 << 10)
#define RESERVED_SHARED_PER_BLOCK ((size_t)1 << 10)
#define REGISTERS_PER_MULTIPROCESSOR 65536
#define CONSTANT_MEMORY_SIZE ((size_t)64 << 10)

static unsigned thread_count;
static pthread_once_t thread_count_once = PTHREAD_ONCE_INIT;

static unsigned usable_cpus(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

static void choose_thread_count(void) {
    thread_count = usable_cpus();
    const char *text = getenv("CPU_DEVICE_THREADS");
    if (text && *text) {
        char *end;
        long value = strtol(text, &end, 10);
        if (*end == '\0' && value >= 1 && value <= MAX_OS_THREADS)
            thread_count = (unsigned)value;
        else
            fprintf(stderr, "CPU device: CPU_DEVICE_THREADS=%s is not a number from 1 to %d; using %u threads.\n", text,
                    MAX_OS_THREADS, thread_count);
    }
    if (thread_count > MAX_OS_THREADS)
        thread_count = MAX_OS_THREADS;
}

unsigned cpu_device_thread_count(void) {
    pthread_once(&thread_count_once, choose_thread_count);
    return thread_count;
}

static int l2_cache_size(void) {
    long size = -1;
#ifdef _SC_LEVEL3_CACHE_SIZE
    size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (size <= 0)
        size = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return size > 0 && size < 0x7fffffff ? (int)size : 0;
}

cudaError_t cudaDeviceSynchronize(void) { return cpu_device_wait_result(); }

cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }

cudaError_t cudaGetDeviceCount(int *count) {
    if (!count)
        return cpu_device_result(cudaErrorInvalidValue);
    *count = 1;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaGetDevice(int *device) {
    if (!device)
        return cpu_device_result(cudaErrorInvalidValue);
    *device = 0;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) { return cpu_device_result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }

cudaError_t cudaRuntimeGetVersion(int *version) {
    if (!version)
        return cpu_device_result(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    if (!properties)
        return cpu_device_result(cudaErrorInvalidValue);
    if (device != 0)
        return cpu_device_result(cudaErrorInvalidDevice);
    unsigned threads = cpu_device_thread_count();
    *properties = (struct cudaDeviceProp){
        .totalGlobalMem = cpu_device_memory_size(),
        .sharedMemPerBlock = MAX_SHARED_WITHOUT_OPT_IN,
        .regsPerBlock = REGISTERS_PER_MULTIPROCESSOR,
        .warpSize = WARP_SIZE,
        .memPitch = 0x7fffffff,
        .maxThreadsPerBlock = MAX_THREADS_PER_BLOCK,
        .maxThreadsDim = {MAX_THREADS_PER_BLOCK, MAX_THREADS_PER_BLOCK, MAX_BLOCK_DIM_Z},
        .maxGridSize = {(int)MAX_GRID_DIM_X, (int)MAX_GRID_DIM_YZ, (int)MAX_GRID_DIM_YZ},
        .multiProcessorCount = (int)threads,
        .integrated = 1,
        .unifiedAddressing = 1,
        .l2CacheSize = l2_cache_size(),
        .maxThreadsPerMultiProcessor = MAX_THREADS_PER_BLOCK,
        .sharedMemPerMultiprocessor = SHARED_PER_MULTIPROCESSOR,
        .regsPerMultiprocessor = REGISTERS_PER_MULTIPROCESSOR,
        .maxBlocksPerMultiProcessor = 1,
        .sharedMemPerBlockOptin = MAX_SHARED_WITH_OPT_IN,
        .reservedSharedMemPerBlock = RESERVED_SHARED_PER_BLOCK,
        .totalConstMem = CONSTANT_MEMORY_SIZE,
        .textureAlignment = ALLOCATION_ALIGNMENT,
        .surfaceAlignment = ALLOCATION_ALIGNMENT,
        .canMapHostMemory = 1,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .pageableMemoryAccess = 1,
        .hostNativeAtomicSupported = 1,
        .memoryPoolsSupported = 1,
        .computeMode = cudaComputeModeDefault,
    };
    snprintf(properties->name, sizeof properties->name, "CPU device (%u thread%s)", threads, threads == 1 ? "" : "s");
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    if (!value)
        return cpu_device_result(cudaErrorInvalidValue);
    struct cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess)
        return error;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = properties.maxThreadsPerBlock;
        break;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
    case cudaDevAttrMaxBlockDimZ:
        *value = properties.maxThreadsDim[attribute - cudaDevAttrMaxBlockDimX];
        break;
    case cudaDevAttrMaxGridDimX:
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        *value = properties.maxGridSize[attribute - cudaDevAttrMaxGridDimX];
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = (int)properties.sharedMemPerBlock;
        break;
    case cudaDevAttrTotalConstantMemory:
        *value = (int)properties.totalConstMem;
        break;
    case cudaDevAttrMaxPitch:
        *value = (int)properties.memPitch;
        break;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrMemoryPoolsSupported:
        *value = 1;
        break;
    case cudaDevAttrWarpSize:
        *value = properties.warpSize;
        break;
    case cudaDevAttrMaxRegistersPerBlock:
        *value = properties.regsPerBlock;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = properties.multiProcessorCount;
        break;
    case cudaDevAttrIntegrated:
        *value = properties.integrated;
        break;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
    case cudaDevAttrGlobalMemoryBusWidth:
    case cudaDevAttrComputeCapabilityMajor:
    case cudaDevAttrComputeCapabilityMinor:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrComputeMode:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrCooperativeLaunch:
        *value = 0;
        break;
    case cudaDevAttrL2CacheSize:
        *value = properties.l2CacheSize;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = properties.maxThreadsPerMultiProcessor;
        break;
    case cudaDevAttrUnifiedAddressing:
        *value = properties.unifiedAddressing;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = (int)properties.sharedMemPerMultiprocessor;
        break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = properties.regsPerMultiprocessor;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)properties.sharedMemPerBlockOptin;
        break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = properties.maxBlocksPerMultiProcessor;
        break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = (int)properties.reservedSharedMemPerBlock;
        break;
    default:
        return cpu_device_result(cudaErrorInvalidValue);
    }
    return cpu_device_result(cudaSuccess);
}

/* ---- Attributes that host code sets on kernels. There are as many as kernels, so a list will do. ---- */

struct function_attributes {
    const void *function;
    size_t dynamic_shared;
    int carveout;
};

static struct {
    pthread_mutex_t lock;
    struct function_attributes *list;
    size_t count;
} functions = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct function_attributes *find_function(const void *function) {
    for (size_t i = 0; i < functions.count; i++)
        if (functions.list[i].function == function)
            return &functions.list[i];
    return NULL;
}

static struct function_attributes *find_or_add_function(const void *function) {
    struct function_attributes *found = find_function(function);
    if (found)
        return found;
    struct function_attributes *list = realloc(functions.list, (functions.count + 1) * sizeof *list);
    if (!list)
        return NULL;
    functions.list = list;
    list[functions.count] =
        (struct function_attributes){function, MAX_SHARED_WITHOUT_OPT_IN, cudaSharedmemCarveoutDefault};
    return &list[functions.count++];
}

size_t cpu_device_dynamic_shared_limit(const void *function) {
    size_t limit = MAX_SHARED_WITHOUT_OPT_IN;
    pthread_mutex_lock(&functions.lock);
    for (size_t i = 0; i < functions.count; i++) {
        const struct function_attributes *f = &functions.list[i];
        if (f->function == function)
            limit = f->dynamic_shared;
        else if (!function && f->dynamic_shared > limit)
            limit = f->dynamic_shared;
    }
    pthread_mutex_unlock(&functions.lock);
    return limit;
}

static bool attribute_value_is_legal(enum cudaFuncAttribute attribute, int value) {
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
        return value >= 0 && (size_t)value <= MAX_SHARED_WITH_OPT_IN;
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
        return value >= cudaSharedmemCarveoutDefault && value <= cudaSharedmemCarveoutMaxShared;
    return false;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
    if (!function)
        return cpu_device_result(cudaErrorInvalidDeviceFunction);
    if (!attribute_value_is_legal(attribute, value))
        return cpu_device_result(cudaErrorInvalidValue);
    pthread_mutex_lock(&functions.lock);
    struct function_attributes *f = find_or_add_function(function);
    if (f && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
        f->dynamic_shared = (size_t)value;
    else if (f)
        f->carveout = value;
    pthread_mutex_unlock(&functions.lock);
    return cpu_device_result(f ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    if (!attributes)
        return cpu_device_result(cudaErrorInvalidValue);
    if (!function)
        return cpu_device_result(cudaErrorInvalidDeviceFunction);
    pthread_mutex_lock(&functions.lock);
    const struct function_attributes *f = find_function(function);
    *attributes = (struct cudaFuncAttributes){
        .maxThreadsPerBlock = MAX_THREADS_PER_BLOCK,
        .maxDynamicSharedSizeBytes = (int)(f ? f->dynamic_shared : MAX_SHARED_WITHOUT_OPT_IN),
        .preferredShmemCarveout = f ? f->carveout : cudaSharedmemCarveoutDefault,
    };
    pthread_mutex_unlock(&functions.lock);
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                          size_t dynamic_shared_size) {
    if (!blocks || block_size <= 0)
        return cpu_device_result(cudaErrorInvalidValue);
    if (!function)
        return cpu_device_result(cudaErrorInvalidDeviceFunction);
    *blocks = block_size <= MAX_THREADS_PER_BLOCK && dynamic_shared_size <= MAX_SHARED_WITH_OPT_IN ? 1 : 0;
    return cpu_device_result(cudaSuccess);
}

/* ---- Wishes that this hardware fulfils or cannot have ---- */

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wish) {
    return wish ? cudaGetDevice(device) : cpu_device_result(cudaErrorInvalidValue);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    (void)flags;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
    (void)config;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    (void)config;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
    (void)config;
    return cpu_device_result(function ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config) {
    (void)config;
    return cpu_device_result(function ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    (void)limit;
    (void)value;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    if (!value)
        return cpu_device_result(cudaErrorInvalidValue);
    (void)limit;
    *value = 0;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaProfilerStart(void) { return cpu_device_result(cudaSuccess); }
cudaError_t cudaProfilerStop(void) { return cpu_device_result(cudaSuccess); }

cudaError_t cudaDeviceCanAccessPeer(int *can_access, int device, int peer) {
    (void)device;
    (void)peer;
    if (!can_access)
        return cpu_device_result(cudaErrorInvalidValue);
    *can_access = 0;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
    (void)peer;
    (void)flags;
    return cpu_device_result(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetPCIBusId(char *bus_id, int size, int device) {
    if (!bus_id || size < 1 || device != 0)
        return cpu_device_result(cudaErrorInvalidValue);
    bus_id[0] = '\0';
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaDeviceReset(void) {
    pthread_mutex_lock(&functions.lock);
    free(functions.list);
    functions.list = NULL;
    functions.count = 0;
    pthread_mutex_unlock(&functions.lock);
    cpu_device_free_all_memory();
    cpu_device_clear_errors();
    return cudaSuccess;
}

/*
 * The CUDA runtime API of the CPU device, callable from C11 and C++17.
 *
 * Names, enumerator values and argument orders are those of CUDA 13, so that host code compiles unchanged against
 * either. What CUDA 13 has dropped and older programs still use (clock rates, bank sizes) is kept as well. Differences
 * in behaviour, all of them legal for a CUDA program to see:
 *   - there is one device; every operation is complete when its call returns, and streams only carry their identity;
 *   - "device" memory is host memory that starts at zero and has inaccessible gaps around each allocation;
 *   - one OS thread counts as one multiprocessor, which holds one block at a time.
 *
 * Two environment variables are read: CPU_DEVICE_THREADS, the number of OS threads that run blocks (as many as there
 * are CPUs if unset), and CPU_DEVICE_ORDER: with "reverse", the warps of a block and the lanes of a warp run in
 * descending order, which brings out kernels that lean on an order.
 *
 * Every function returns cudaSuccess or an error that cudaGetLastError() then reports as well. A failed launch is
 * sticky, as on a GPU: later calls return it again. Here cudaDeviceReset() clears it.
 */
#ifndef CPU_DEVICE_CUDA_RUNTIME_API_H
#define CPU_DEVICE_CUDA_RUNTIME_API_H

#include <stddef.h>

/* Lets source files tell this runtime from NVIDIA's. */
#define GEMM_CPU_DEVICE 1

#define CUDART_VERSION 13000

#ifdef __cplusplus
#define CPU_DEVICE_DEFAULT(value) = value
#else
#define CPU_DEVICE_DEFAULT(value)
#endif

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchTimeout = 702,
    cudaErrorAssert = 710,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotPermitted = 800,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxPitch = 11,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrKernelExecTimeout = 17,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrCanMapHostMemory = 19,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrConcurrentKernels = 31,
    cudaDevAttrEccEnabled = 32,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrAsyncEngineCount = 40,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrMemoryPoolsSupported = 115
};

enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3
};

enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0,
    cudaSharedMemBankSizeFourByte = 1,
    cudaSharedMemBankSizeEightByte = 2
};

enum cudaLimit { cudaLimitStackSize = 0, cudaLimitPrintfFifoSize = 1, cudaLimitMallocHeapSize = 2 };

enum cudaComputeMode { cudaComputeModeDefault = 0, cudaComputeModeProhibited = 2, cudaComputeModeExclusiveProcess = 3 };

enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6
};

enum cudaMemLocationType { cudaMemLocationTypeInvalid = 0, cudaMemLocationTypeDevice = 1, cudaMemLocationTypeHost = 2 };

struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};

#define CUDART_CB
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaOccupancyDefault 0x00
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02

typedef struct cpu_device_stream *cudaStream_t;
typedef struct cpu_device_event *cudaEvent_t;

typedef struct uint3 {
    unsigned int x, y, z;
} uint3;

/* In C, as in NVIDIA's header, a dim3 has no defaults: write all three extents. */
typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;

/* The fields of NVIDIA's structure that programs read, those that CUDA 13 dropped included. */
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;    /* bytes */
    size_t sharedMemPerBlock; /* bytes, without opting in */
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int major; /* compute capability; 0.0 says "CPU device" */
    int minor;
    int multiProcessorCount; /* OS threads that run blocks */
    int integrated;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int unifiedAddressing;
    int memoryBusWidth; /* bits; 0: unknown */
    int l2CacheSize;    /* bytes: the CPU's last-level cache, 0 if unknown */
    int maxThreadsPerMultiProcessor;
    size_t sharedMemPerMultiprocessor; /* bytes */
    int regsPerMultiprocessor;
    int maxBlocksPerMultiProcessor;
    size_t sharedMemPerBlockOptin;    /* bytes */
    size_t reservedSharedMemPerBlock; /* bytes */
    int cooperativeLaunch;
    int clusterLaunch;
    size_t totalConstMem; /* bytes */
    size_t textureAlignment;
    size_t surfaceAlignment;
    int clockRate;       /* kHz; 0: unknown */
    int memoryClockRate; /* kHz; 0: unknown */
    int deviceOverlap;
    int asyncEngineCount;
    int kernelExecTimeoutEnabled;
    int canMapHostMemory;
    int computeMode;
    int concurrentKernels;
    int tccDriver;
    int managedMemory;
    int concurrentManagedAccess;
    int pageableMemoryAccess;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    int hostNativeAtomicSupported;
    int persistingL2CacheMaxSize;
    int memoryPoolsSupported;
    int singleToDoublePrecisionPerfRatio;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes; /* static shared memory is not known here: 0 */
    size_t constSizeBytes;
    size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs; /* registers are not known here: 0 */
    int ptxVersion;
    int binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
};

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors (error.c) ---- */

/* The last error of the calling host thread; reading it clears it, unless a failed launch made it sticky. */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
/* Static strings; never NULL. */
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

/* ---- Memory (memory.c). Sizes and pitches are in bytes. ---- */

/* A 256-byte aligned allocation, to be released by cudaFree. A size of 0 gives NULL and cudaSuccess. Errors:
   cudaErrorMemoryAllocation when the device memory (cudaMemGetInfo) is used up. */
cudaError_t cudaMalloc(void **pointer, size_t size);
/* NULL is allowed. A pointer that cudaMalloc did not return gives cudaErrorInvalidValue. */
cudaError_t cudaFree(void *pointer);
/* Rows of `width` bytes, each on a 256-byte boundary as cudaMalloc's first byte; *pitch receives their distance. */
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
/* All memory is shared by host and device here, so managed memory is device memory. */
cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags CPU_DEVICE_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *host_pointer, unsigned int flags);
cudaError_t cudaMallocHost(void **pointer, size_t size);
cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags);
cudaError_t cudaFreeHost(void *pointer);
/* Copies fail with cudaErrorInvalidValue when they would leave the device allocation that they start in. */
cudaError_t cudaMemcpy(void *destination, const void *source, size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream CPU_DEVICE_DEFAULT(0));
cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream CPU_DEVICE_DEFAULT(0));
cudaError_t cudaMemset(void *pointer, int value, size_t count);
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count, cudaStream_t stream CPU_DEVICE_DEFAULT(0));
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream CPU_DEVICE_DEFAULT(0));
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);

/* ---- Device and functions (device.c) ---- */

cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaThreadSynchronize(void); /* the name that cudaDeviceSynchronize had before CUDA 4 */
/* Frees all device memory and forgets function attributes and errors, sticky ones too. */
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
/* An attribute without a meaning here gives cudaErrorInvalidValue; unknown clocks are 0. */
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
/* The CPU device sits on no bus: writes an empty string. */
cudaError_t cudaDeviceGetPCIBusId(char *bus_id, int size, int device);
/* One device fits every wish. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wish);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
/* Hints for hardware that is not here; accepted and without effect. */
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
/* A limit that does not bind here is 0. */
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
/* There is no second device: 0, and cudaErrorInvalidDevice. */
cudaError_t cudaDeviceCanAccessPeer(int *can_access, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);
/* A kernel must opt in here before a launch may give it more than 48 KiB of dynamic shared memory. */
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
/* 1 for every block that can be launched at all, otherwise 0: see multiprocessors above. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                          size_t dynamic_shared_size);

/* ---- Streams and events (stream.c) ---- */

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
/* Work is done at once, so there is nothing to prefer: both are 0. */
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
typedef void (*cudaHostFn_t)(void *data);
/* Calls the function at once. */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags CPU_DEVICE_DEFAULT(0));
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream CPU_DEVICE_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
/* Time between two recorded events in ms, from a monotonic clock. Events that were never recorded or that were created
   without timing give cudaErrorInvalidResourceHandle. */
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

#ifdef __cplusplus
}
#endif

#endif

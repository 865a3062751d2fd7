/* Streams and events. Work is complete when its call returns, so all that is left of them is identity and time stamps.
 */
#define _GNU_SOURCE
#include "cuda_runtime_api.h"
#include "error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct cpu_device_stream {
    unsigned int flags;
};

struct cpu_device_event {
    unsigned int flags;
    bool recorded;
    struct timespec time;
};

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
    if (!stream || (flags & ~(unsigned int)cudaStreamNonBlocking))
        return cpu_device_result(cudaErrorInvalidValue);
    *stream = malloc(sizeof **stream);
    if (!*stream)
        return cpu_device_result(cudaErrorMemoryAllocation);
    (*stream)->flags = flags;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
    (void)priority;
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least)
        *least = 0;
    if (greatest)
        *greatest = 0;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    (void)stream;
    if (!function)
        return cpu_device_result(cudaErrorInvalidValue);
    function(data);
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags) {
    if (!callback || flags != 0)
        return cpu_device_result(cudaErrorInvalidValue);
    callback(stream, cudaSuccess, data);
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return cpu_device_result(cudaErrorInvalidResourceHandle);
    free(stream);
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    (void)stream;
    return cpu_device_wait_result();
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    (void)stream;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
    (void)stream;
    (void)flags;
    return cpu_device_result(event ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
    if (!event || (flags & ~(unsigned int)(cudaEventBlockingSync | cudaEventDisableTiming)))
        return cpu_device_result(cudaErrorInvalidValue);
    *event = calloc(1, sizeof **event);
    if (!*event)
        return cpu_device_result(cudaErrorMemoryAllocation);
    (*event)->flags = flags;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!event)
        return cpu_device_result(cudaErrorInvalidResourceHandle);
    free(event);
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)stream;
    if (!event)
        return cpu_device_result(cudaErrorInvalidResourceHandle);
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    event->recorded = true;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return event ? cpu_device_wait_result() : cpu_device_result(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

static bool has_time(cudaEvent_t event) {
    return event && event->recorded && !(event->flags & (unsigned int)cudaEventDisableTiming);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (!milliseconds)
        return cpu_device_result(cudaErrorInvalidValue);
    if (!has_time(start) || !has_time(end))
        return cpu_device_result(cudaErrorInvalidResourceHandle);
    double seconds = difftime(end->time.tv_sec, start->time.tv_sec);
    double nanoseconds = (double)(end->time.tv_nsec - start->time.tv_nsec);
    *milliseconds = (float)(seconds * 1e3 + nanoseconds * 1e-6);
    return cpu_device_result(cudaSuccess);
}

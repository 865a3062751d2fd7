#include "error.h"

#include <stdatomic.h>

static _Thread_local cudaError_t last_error = cudaSuccess;
static _Thread_local cudaError_t awaited_error = cudaSuccess; /* of a launch that nobody has waited for yet */
static atomic_int sticky_error = cudaSuccess;

cudaError_t cpu_device_sticky_error(void) { return (cudaError_t)atomic_load(&sticky_error); }

void cpu_device_set_sticky_error(cudaError_t error) { atomic_store(&sticky_error, (int)error); }

void cpu_device_clear_errors(void) {
    atomic_store(&sticky_error, (int)cudaSuccess);
    last_error = awaited_error = cudaSuccess;
}

cudaError_t cpu_device_launch_result(cudaError_t error) {
    if (error != cudaSuccess)
        awaited_error = error;
    return cpu_device_result(error);
}

cudaError_t cpu_device_wait_result(void) {
    const cudaError_t error = awaited_error;
    awaited_error = cudaSuccess;
    return cpu_device_result(error);
}

cudaError_t cpu_device_result(cudaError_t error) {
    cudaError_t sticky = cpu_device_sticky_error();
    if (sticky != cudaSuccess)
        return sticky;
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    cudaError_t sticky = cpu_device_sticky_error();
    return sticky != cudaSuccess ? sticky : last_error;
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = cudaPeekAtLastError();
    last_error = awaited_error = cudaSuccess;
    return error;
}

static const struct {
    cudaError_t error;
    const char *name, *text;
} descriptions[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const char *cudaGetErrorName(cudaError_t error) {
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++)
        if (descriptions[i].error == error)
            return descriptions[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
    for (size_t i = 0; i < sizeof descriptions / sizeof *descriptions; i++)
        if (descriptions[i].error == error)
            return descriptions[i].text;
    return "unrecognized error code";
}

/* The error state behind cudaGetLastError. */
#ifndef CPU_DEVICE_ERROR_H
#define CPU_DEVICE_ERROR_H

#include "cuda_runtime_api.h"

/* Remembers `error` for the calling host thread and returns it. When a launch has failed, that sticky error wins. */
cudaError_t cpu_device_result(cudaError_t error);

/* The error of a failed launch, or cudaSuccess. */
cudaError_t cpu_device_sticky_error(void);

/* Makes every later call fail with `error`, until cpu_device_clear_errors. */
void cpu_device_set_sticky_error(cudaError_t error);

/* While launches are checked their errors are not sticky. This one is for the calling host thread: cudaGetLastError
   returns it, or the next call that waits for launches, whichever comes first. */
cudaError_t cpu_device_launch_result(cudaError_t error);

/* What a call returns that waits for launches. */
cudaError_t cpu_device_wait_result(void);

void cpu_device_clear_errors(void);

#endif

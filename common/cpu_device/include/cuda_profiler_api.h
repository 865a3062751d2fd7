/* NVIDIA's <cuda_profiler_api.h>: what it declares is in cuda_runtime.h here. */
#ifndef CPU_DEVICE_CUDA_PROFILER_API_H
#define CPU_DEVICE_CUDA_PROFILER_API_H

#include "cuda_runtime.h"

#endif

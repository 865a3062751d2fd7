/* The part of NVIDIA's <cuda.h> that programs for the runtime API read. There is no driver API here. */
#ifndef CPU_DEVICE_CUDA_H
#define CPU_DEVICE_CUDA_H

#include "cuda_runtime_api.h"

#define CUDA_VERSION CUDART_VERSION

#endif

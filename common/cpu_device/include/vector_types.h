/* NVIDIA's <vector_types.h>: what it declares is in cuda_runtime.h here. */
#ifndef CPU_DEVICE_FORWARD_VECTOR_TYPES_H
#define CPU_DEVICE_FORWARD_VECTOR_TYPES_H

#include "cuda_runtime.h"

#endif

/* NVIDIA's <device_functions.h>: what it declares is in cuda_runtime.h here. */
#ifndef CPU_DEVICE_FORWARD_DEVICE_FUNCTIONS_H
#define CPU_DEVICE_FORWARD_DEVICE_FUNCTIONS_H

#include "cuda_runtime.h"

#endif

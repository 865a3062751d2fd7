/* NVIDIA's <device_launch_parameters.h>: what it declares is in cuda_runtime.h here. */
#ifndef CPU_DEVICE_DEVICE_LAUNCH_PARAMETERS_H
#define CPU_DEVICE_DEVICE_LAUNCH_PARAMETERS_H

#include "cuda_runtime.h"

#endif

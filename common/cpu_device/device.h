/* The shape of the device: limits, and what host code has set on its kernels. */
#ifndef CPU_DEVICE_DEVICE_H
#define CPU_DEVICE_DEVICE_H

#include <stddef.h>

#define WARP_SIZE 32

/* Limits of a launch, the same on every GPU since Volta (CUDA C++ Programming Guide, "Technical Specifications per
   Compute Capability"); the shared memory sizes are those of compute capability 9.0. */
#define MAX_THREADS_PER_BLOCK 1024
#define MAX_BLOCK_DIM_Z 64
#define MAX_GRID_DIM_X 2147483647u
#define MAX_GRID_DIM_YZ 65535u
#define MAX_SHARED_WITHOUT_OPT_IN ((size_t)48 << 10)
#define MAX_SHARED_WITH_OPT_IN ((size_t)227 << 10)

/* What cudaMalloc promises at least. */
#define ALLOCATION_ALIGNMENT ((size_t)256)

/* OS threads that run blocks: CPU_DEVICE_THREADS in the environment, otherwise the CPUs this process may use. Fixed at
   the first call. */
unsigned cpu_device_thread_count(void);

/* Bytes of dynamic shared memory that a launch of `function` may ask for. NULL stands for a kernel whose address the
   launch does not know; it gets the most that any kernel has opted in to. */
size_t cpu_device_dynamic_shared_limit(const void *function);

#endif

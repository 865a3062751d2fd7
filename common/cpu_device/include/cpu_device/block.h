/*
 * What a running kernel asks of the scheduler: where am I, meet the others. Callable from C and C++.
 * Kernels reach these functions through the CUDA spellings in device_functions.h.
 */
#ifndef CPU_DEVICE_BLOCK_H
#define CPU_DEVICE_BLOCK_H

#include "../cuda_runtime_api.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The built-in variables. They do not change while a kernel runs, and `const` tells the compiler so: it asks once and
   keeps the answer in a register, as on a GPU. */
__attribute__((const)) uint3 cpu_device_thread_index(void);
__attribute__((const)) uint3 cpu_device_block_index(void);
__attribute__((const)) uint3 cpu_device_block_dim(void);
__attribute__((const)) uint3 cpu_device_grid_dim(void);

/* Waits until every thread of the block that has not exited is here. Returns for how many of them `predicate` was not
 *0; participants (may be NULL) receives how many came. */
unsigned cpu_device_barrier(int predicate, unsigned *participants);

/* Runs once for a whole warp, when all lanes in `mask` have arrived. payload[lane] is what each lane in `mask` passed
   in; it lies on that lane's own stack, and results go back through it. */
typedef void (*cpu_device_warp_function)(void *const payload[32], unsigned mask);

/* Waits until all lanes in `mask` that have not exited call this with the same mask and function, then runs the
   function once. Lanes outside the mask keep running. A lane that its own mask does not name fails the launch. */
void cpu_device_warp_collective(unsigned mask, cpu_device_warp_function function, void *payload);

void cpu_device_sync_warp(unsigned mask);

enum cpu_device_shuffle_mode {
    CPU_DEVICE_SHUFFLE_INDEX,
    CPU_DEVICE_SHUFFLE_UP,
    CPU_DEVICE_SHUFFLE_DOWN,
    CPU_DEVICE_SHUFFLE_XOR
};

/* `width` must be a power of two up to 32. Reading from a lane that takes no part is undefined on a GPU; here it gives
   all ones, which is a NaN, so that the mistake shows. */
uint64_t cpu_device_shuffle(unsigned mask, uint64_t value, int lane_or_delta, int width,
                            enum cpu_device_shuffle_mode mode);

/* Bit i is set when lane i is in `mask` and its predicate is not 0. */
unsigned cpu_device_ballot(unsigned mask, int predicate);

/* The lanes of this warp that have not exited. */
unsigned cpu_device_active_mask(void);

/* Orders memory accesses before it and after it, for all threads. */
void cpu_device_fence(void);

/* A shared-memory "address" as PTX uses it: 32 bits, and equal to the real address modulo 1024, so that alignments and
   swizzles come out the same. */
uint32_t cpu_device_shared_address(const void *pointer);

/* Behind assert: inside a kernel it fails the launch with cudaErrorAssert, elsewhere it ends the process. */
void cpu_device_assertion_failed(const char *condition, const char *file, int line, const char *function)
    __attribute__((noreturn));
/* Fails the launch. */
void cpu_device_trap(void) __attribute__((noreturn));

/* Called by every thread of a kernel with __launch_bounds__(max_threads) before anything else: a GPU refuses to launch
   it with larger blocks. */
void cpu_device_check_launch_bounds(unsigned max_threads);

struct cpu_device_launch_config {
    uint3 grid;                 /* blocks */
    uint3 block;                /* threads */
    size_t dynamic_shared_size; /* bytes */
    cudaStream_t stream;
    const char *kernel_name;     /* for messages; must outlive the launch */
    const void *kernel_function; /* the key of cudaFuncSetAttribute, or NULL when overload resolution hid it */
    const char *argument_types;  /* then what tells overloads apart, in the compiler's words; must outlive the launch */
    const char *file;            /* where the launch stands, for messages; must outlive the launch */
    unsigned line;
};

/* Runs a whole grid and returns when it is done. `run_thread` is called once for every CUDA thread, on several OS
   threads at a time, with `argument`, which holds the kernel's arguments in argument_size bytes. Errors also go to
   cudaGetLastError: cudaErrorInvalidConfiguration and cudaErrorInvalidValue when the hardware would refuse the launch,
   cudaErrorNotSupported from inside a kernel, cudaErrorLaunchFailure (sticky) when it failed midway. */
cudaError_t cpu_device_launch(const struct cpu_device_launch_config *config, void (*run_thread)(void *argument),
                              void *argument, size_t argument_size);

#ifdef __cplusplus
}
#endif

#endif

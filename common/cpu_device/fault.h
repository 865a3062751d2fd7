/* Turns a crash inside a kernel into a failed launch and a sentence. */
#ifndef CPU_DEVICE_FAULT_H
#define CPU_DEVICE_FAULT_H

#include "scheduler.h"

#include <stdbool.h>
#include <stddef.h>

/* From cpu_device_catch_faults to cpu_device_release_faults, a thread of a kernel that meets SIGSEGV, SIGBUS or SIGFPE
   leaves for the scheduler and never comes back; block->fault then says what it met. A crash anywhere else goes to the
   handler that was there before. */
void cpu_device_catch_faults(void);
void cpu_device_release_faults(void);

/* Writes what block->fault is, as a clause; returns the error that a GPU would give. */
cudaError_t cpu_device_describe_fault(const struct block *block, char *text, size_t text_size);

/* Gives the calling OS thread a stack for the handler, which cannot use that of a fiber that has overflowed. Cheap when
   done before. False when there is no memory. */
bool cpu_device_prepare_thread_for_faults(void);

#endif

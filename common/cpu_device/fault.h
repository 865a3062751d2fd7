/* Turns a crash inside a kernel into a sentence. */
#ifndef CPU_DEVICE_FAULT_H
#define CPU_DEVICE_FAULT_H

#include <stdbool.h>

/* From cpu_device_catch_faults to cpu_device_release_faults, a SIGSEGV, SIGBUS or SIGFPE in a kernel prints where it
   was and which address it met, and ends the process with status 1. A crash anywhere else goes to the handler that was
   there before. */
void cpu_device_catch_faults(void);
void cpu_device_release_faults(void);

/* Gives the calling OS thread a stack for the handler, which cannot use that of a fiber that has overflowed. Cheap when
   done before. False when there is no memory. */
bool cpu_device_prepare_thread_for_faults(void);

#endif

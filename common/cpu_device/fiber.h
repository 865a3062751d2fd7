/* Stacks that take turns on one OS thread. ucontext would do, but it enters the kernel on every switch (530 ns against
 * 13). */
#ifndef CPU_DEVICE_FIBER_H
#define CPU_DEVICE_FIBER_H

/* Makes a stack, given by its upper end (16-byte aligned), ready for a first switch to it, which calls `entry`. `entry`
   must never return. Returns the stack pointer to switch to. */
void *cpu_device_fiber_prepare(void *stack_top, void (*entry)(void));

/* Stores the stack pointer of the caller in *save and continues at `load`. Callee-saved registers travel with the
   stack; floating-point control words are those of the OS thread. */
void cpu_device_fiber_switch(void **save, void *load);

#endif

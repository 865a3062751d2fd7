/* A program of its own whose launches are all counted, or checked: CPU_DEVICE_COUNTS=FILE or CPU_DEVICE_FINDINGS=FILE
   in its environment. */
#ifndef CPU_DEVICE_COUNTED_PROGRAM_H
#define CPU_DEVICE_COUNTED_PROGRAM_H

/* Reads the environment, once; every launch calls it. It also happens before main(), so that a program that launches
   nothing says so in its file. */
void counted_program_begin(void);

#endif

/* Where the program hears of an index past a row of an array. bounds.c translates what the compiler reports. */
#ifndef CPU_DEVICE_BOUNDS_H
#define CPU_DEVICE_BOUNDS_H

#include <stdint.h>

/* Called before the access, in a kernel or on the host. `file` and `line` are those of the source, the file with the
   path that the compiler was given; `array_type` is the type of the array whose dimension was left, in the compiler's
   words and quotes, as in 'float [33]'; `index` counts modulo 2^64, as addresses do, so an unsigned -1 is -1. The
   strings live as long as the program. It returns on the host only. */
void cpu_device_index_out_of_bounds(const char *file, unsigned line, const char *array_type, int64_t index);

#endif

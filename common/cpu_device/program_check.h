/* Tells, before a compiler does so at length, what in a CUDA program the CPU device cannot run. */
#ifndef CPU_DEVICE_PROGRAM_CHECK_H
#define CPU_DEVICE_PROGRAM_CHECK_H

#include "tokens.h"

/* Looks for what is not supported: libraries, textures, PTX, launches in kernels and the like. `directory` is where the
   file lies; a header in quotes that is there is the program's own and not looked at. False with *error naming the
   first of them: "<what> (<name>) is not supported on the CPU device: <reason>; <what to do>". */
bool check_program(const char *source, size_t length, const char *directory, struct rewrite_error *error);

/* As check_program, for a file that must be a whole program; error->line is 0 when main() is what it lacks. */
bool check_whole_program(const char *source, size_t length, const char *directory, struct rewrite_error *error);

#endif

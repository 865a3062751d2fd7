/* Builds one CUDA C file for the CPU device. */
#ifndef TOOL_COUNT_BUILD_H
#define TOOL_COUNT_BUILD_H

#include "tool.h"

/* Whether the command line names a file that can be built: a plain file that ends in .cu. Returns 0, or -1 with a
 * sentence, which is the user's mistake (EXIT_USAGE). */
int count_check_source(const char *source_file, fault *f);

/* Builds FILE.cu, which has its own main(), for the CPU device, with the compiler and the flags of add_cpu_kernel. Does
 * nothing when the program is there and newer than all it is made of. The compiler's words are shown (on stderr) only
 * when it fails. Returns the program's path, build/cpu/count/NAME-HASH/NAME, which the caller frees; NULL with a
 * sentence. */
char *count_build(const tool_context *context, const char *source_file, fault *f);

#endif

/* Turns what only CUDA C has, launches and dynamic shared memory, into C++, and changes nothing else. */
#ifndef CPU_DEVICE_LAUNCH_REWRITE_H
#define CPU_DEVICE_LAUNCH_REWRITE_H

#include "tokens.h"

#include <stddef.h>

/* Rewrites every `kernel<<<grid, block, shared, stream>>>(arguments)` of `source` into
   `CPU_DEVICE_LAUNCH(kernel).configure(grid, block, shared, stream)(arguments)`; include/cpu_device/launch.h takes it
   from there. Literal 0 and NULL arguments become cpu_device::Zero(). `extern __shared__ T name[]` becomes a reference
   to the dynamic shared window, or at file scope another name of its symbol; `cudaLaunchKernel((void *)kernel` loses
   the cast; a variable that is named as a built-in one, such as blockDim, gets another name; the body of a kernel with
   `__launch_bounds__(arguments)` begins with `CPU_DEVICE_LAUNCH_BOUNDS(arguments);`. Macro bodies are rewritten too;
   comments, strings and the other directives are left alone. Every line stays where it was, after a first line
   `#line 1 "path"`.

   Returns the new text, NUL-terminated, to be freed by the caller, with its length in *result_length; NULL with *error
   filled in when the source holds something that this function does not understand, or when memory runs out. */
char *rewrite_launches(const char *source, size_t length, const char *path, size_t *result_length,
                       struct rewrite_error *error);

#endif

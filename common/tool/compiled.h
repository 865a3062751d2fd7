/* What the GPU's compiler made of a kernel: registers, which decide how many blocks a multiprocessor holds, and spills.
 */
#ifndef TOOL_COMPILED_H
#define TOOL_COMPILED_H

#include "model.h"

typedef struct compiled_source {
    count_list recorded;     /* plots/data/counts/<gpu>.csv, empty when there is none */
    char *listing;           /* what ptxas said of the source files, or NULL; owned */
    bool refused;            /* nvcc did not take one of them */
    const char *why_unknown; /* half a sentence on kernels whose registers nobody knows */
} compiled_source;

/* Reads the record of the GPU, if there is one, so that registers are known without a compiler. */
void compiled_open(compiled_source *source, const tool_context *context, const gpu_model *gpu);
void compiled_close(compiled_source *source);

/* Compiles `file` for the GPU with nvcc; from then on its kernels are known, too, if nvcc takes it. */
void compiled_ask_nvcc(compiled_source *source, const tool_context *context, const gpu_model *gpu, const char *nvcc,
                       const char *file);

/* Fields that nobody knows are NAN. */
compiled_kernel compiled_of(const compiled_source *source, const count_list *counts, const count_row *launch);

#endif

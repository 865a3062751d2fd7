/* What a user would call instead: cuBLAS. Not there on the CPU device. */
#ifndef BASELINE_H
#define BASELINE_H

#include "gemm.h"

typedef struct baseline baseline;

/* Opens cuBLAS. Returns NULL with a sentence in `why` when there is none. */
baseline *baseline_open(char *why, size_t why_size);
void baseline_close(baseline *b);

/* "13.0.2", valid while b lives. */
const char *baseline_version(const baseline *b);

/* Enqueues the same product, C = alpha A B + beta C, float accumulation. Float inputs are multiplied as floats on the
 * FP32 cores (pedantic: no TF32), tf32 inputs as TF32 on the tensor cores. Returns 0, or -1 with a sentence in `why`.
 */
int baseline_launch(baseline *b, const gemm_problem *problem, cudaStream_t stream, char *why, size_t why_size);

#endif

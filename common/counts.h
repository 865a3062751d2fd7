/* Counting a kernel's memory accesses and operations on the CPU device, for --counts. On a GPU nothing is counted here:
 * `./ladder profile` has Nsight Compute read the same counters there. */
#ifndef COUNTS_H
#define COUNTS_H

#include "cpu_device/counts_columns.h"
#include "record.h"

#include <stddef.h>

/* Whether this build can count. */
int counts_supported(void);

/* From here on launches belong to this row's stage, kernel, type and shape, until counts_end. */
void counts_begin(const gemm_record *row);
void counts_end(void);

/* Replaces `path` by everything that was counted. Returns 0, or -1 with a sentence in `error`. */
int counts_write(const char *path, char *error, size_t error_size);

/* Whether the file begins as counts_write begins it. Returns 0, or -1 with a sentence in `why`. */
int counts_check_header(const char *path, char *why, size_t why_size);

#endif

/* Looking for mistakes in a kernel while it runs on the CPU device, for --sanitize and --findings. On a GPU
 * NVIDIA's compute-sanitizer does that. */
#ifndef CHECKS_H
#define CHECKS_H

#include "cpu_device/counts_columns.h"
#include "gemm.h"
#include "record.h"

#include <stddef.h>

/* Whether this build can check. */
int checks_supported(void);

/* From here on launches belong to this row's stage, kernel, type and shape, until checks_end, and may touch the
 * elements of A, B and C of the problem only. */
void checks_begin(const gemm_record *row, const gemm_problem *problem);

/* How much has been found since checks_begin. */
size_t checks_found(void);

/* Says whether a wrong result, the packed C, comes from a variable that nobody initialised; that is then a finding,
 * too. makes_nan: the kernel wrote NaN although nothing that it may read holds any. */
void checks_wrong_result(const gemm_problem *problem, const void *C, int makes_nan);

/* Prints a paragraph on each mistake that was found since checks_begin. Returns how many there were; `first` then says
 * of the first one what it is and where. */
size_t checks_end(char *first, size_t first_size);

/* Replaces `path` by everything that was found. Returns 0, or -1 with a sentence in `error`. */
int checks_write(const char *path, char *error, size_t error_size);

/* Whether the file begins as checks_write begins it. Returns 0, or -1 with a sentence in `why`. */
int checks_check_header(const char *path, char *why, size_t why_size);

#endif

/*
 * What a sanitizer would say of a kernel, found while it runs on the CPU device. Callable from C and C++. The kinds:
 *
 * - race: in shared memory two threads touch one place, one of them writes, and nothing between orders them
 * - unwritten: a read of shared memory that no thread of the block has written
 * - array-bounds: an index outside its dimension of an array
 * - out-of-bounds: an address outside every allocation, or outside every shared array
 * - misaligned: an address that is no multiple of the size of the access
 * - outside-matrix: an access near a declared matrix, but not to one of its elements, or a store to one that is input
 * - must-not-read: a load from a declared matrix that is not to be read
 * - missing-wait: an access to where an asynchronous copy (cp.async) may still be on its way
 * - missing-lanes: a tensor-core instruction or ldmatrix, which a whole warp must execute, without some of its lanes
 * - divergent-barrier: threads of a block wait at different __syncthreads()
 * - deadlock: all threads of a block wait, and not for the same
 * - launch: a launch that a GPU refuses
 * - uninitialised: reported by the host, of a result that shows what uninitialised variables hold on the CPU device
 *
 * A thread that touches memory outside everything, or that is misaligned, ends there, as on a GPU; its launch fails
 * with cudaErrorIllegalAddress or cudaErrorMisalignedAddress once all blocks have run. While launches are checked such
 * an error is not sticky: the next launch runs. Nothing that is found depends on the order in which warps run,
 * unless what a race leaves behind decides where a thread goes on, or an assertion, __trap() or a fault stops the
 * launch before all its threads have run.
 */
#ifndef CPU_DEVICE_CHECKS_H
#define CPU_DEVICE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All occurrences of one mistake in the launches of one kernel after one call of cpu_device_check_launches. */
struct cpu_device_finding {
    const char *label;      /* as given to cpu_device_check_launches */
    const char *kernel;     /* the __global__ function: "scale<float, 4>" */
    const char *kind;       /* see above */
    const char *file;       /* base name; "" when no place is known */
    unsigned line;          /* 0 when not known */
    const char *other_file; /* "" unless two places are involved */
    unsigned other_line;    /* 0 unless two places are involved */
    uint64_t count;         /* how often it happened */
    const char *text;       /* a paragraph on the first one, without a newline */
};

/* From now on launches are checked, and what is found goes under `label` (copied); not checked when it is NULL. The
   environment variable CPU_DEVICE_FINDINGS=FILE checks all launches of a program from the start, prints what is found
   to stderr and writes it to FILE when the program ends. */
void cpu_device_check_launches(const char *label);

/* What has been found so far, launch after launch. Valid until the next launch, and until
   cpu_device_forget_findings. */
const struct cpu_device_finding *cpu_device_get_findings(size_t *count);
void cpu_device_forget_findings(void);

/* Adds a finding "uninitialised" to the kernel that was launched last; launches must be checked. */
void cpu_device_report_uninitialised(const char *text);

/* One finding as a paragraph for people, with line breaks. */
void cpu_device_print_finding(FILE *out, const struct cpu_device_finding *finding);

/* One row "<label>,kind,file,line,other_file,other_line,count,text", as CSV. */
void cpu_device_write_finding(FILE *out, const char *label, const struct cpu_device_finding *finding);

/* ---- Matrices: what a launch may touch of an allocation that holds more ---- */

struct cpu_device_matrix {
    const char *name; /* "A"; must outlive the launches */
    const void *begin;
    int64_t rows, cols, pitch; /* elements; pitch: from row to row */
    size_t element_size;
    bool writable;
    const char *unreadable; /* NULL, or why nobody may read it: "beta is 0" */
};

enum { CPU_DEVICE_MAX_MATRICES = 8 };

/* For all checked launches from now on; none with count 0. An allocation that holds no declared matrix may be touched
   anywhere. */
void cpu_device_declare_matrices(const struct cpu_device_matrix *matrices, size_t count);

#ifdef __cplusplus
}
#endif

#endif

/* One problem on host and device: its matrices, its reference, and how to run kernels and cuBLAS on it. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "baseline.h"
#include "options.h"
#include "timing.h"
#include "verify.h"

typedef struct {
    gemm_problem device; /* as kernels get it */
    matrix A, B, C;
    void *result;          /* packed host copy of C after a run; A.host, B.host as the host kernel reads them */
    void *pristine;        /* device copy of C before the product, packed; NULL when beta == 0 */
    matrix baseline_C;     /* cuBLAS writes here */
    int has_baseline;      /* cuBLAS ran this problem and agrees with the oracle */
    char no_baseline[256]; /* why not */
    int has_oracle;
    oracle reference;
    int inputs_in_doubt; /* the last kernel made a mistake, and may have written to A and B */
} problem;

/* Whether a problem of this shape fits into memory: returns 0, or 1 with a sentence in `why` that gives needed and free
 * bytes, or -1 with one that tells of a device that no longer answers. */
int problem_fits(const options *o, const gemm_problem *shape, int with_baseline, const gpu_info *gpu, char *why,
                 size_t why_size);

/* Makes matrices and reference for a shape (its pointers are ignored). Returns 0, or -1 with a sentence in `why`. */
int problem_create(problem *p, const options *o, const gemm_problem *shape, char *why, size_t why_size);
void problem_destroy(problem *p);

/* Lets cuBLAS compute the problem and asks the oracle about it; sets has_baseline, or no_baseline. */
void problem_check_baseline(problem *p, baseline *cublas);

/* Runs a kernel once on a fresh C, and on fresh A and B where those are in doubt, with everything a failed launch can
 * hide caught: returns 0 when it ran and the guards hold, else -1 with a sentence in `why`. The result is then in
 * p->result. */
int problem_run(problem *p, const gemm_kernel *kernel, char *why, size_t why_size);

/* After problem_run: runs the kernel until it has run `times` times, each on a fresh C, and compares the bits of C with
 * those of the first time. Returns 0 when all are the same, else -1 with a sentence in `why`. */
int problem_repeat(problem *p, const gemm_kernel *kernel, int times, char *why, size_t why_size);

/* A hash of the bits of C in p->result: equal results of any kernels, stages and machines have equal ones. */
uint64_t problem_hash(const problem *p);

/* Whether the kernel, which gave a wrong result, writes NaN to C although no element that it may read holds one. */
int problem_makes_nan(problem *p, const gemm_kernel *kernel);

/* Times a kernel that passed its check, paired with cuBLAS where there is one. With |beta| > 1/2 the launches are timed
 * with beta = 1/2 of the same sign, because C would grow from launch to launch; that changes no operation. */
cudaError_t problem_time(problem *p, const gemm_kernel *kernel, baseline *cublas, const timing_options *options,
                         gpu_monitor *monitor, timing_result *result);

/* Fetches what the last timed launch left in C (with beta != 0: what one more launch computes), for another check;
 * p->result then holds it. Returns 0 when the guards hold and the result can be judged, 1 when there is nothing to
 * judge (a host kernel), -1 with a sentence in `why`. */
int problem_fetch_timed(problem *p, const gemm_kernel *kernel, char *why, size_t why_size);

#endif

/* The command line of every stage driver. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "matrix.h"
#include "oracle.h"

enum { OPTIONS_MAX_SIZES = 32, OPTIONS_MAX_KERNELS = 32, OPTIONS_MAX_CONFIGS = 32, OPTIONS_MAX_POKES = 64 };

/* M, N, K as --size gives them. */
typedef struct {
    int64_t m, n, k;
} options_size;

/* One element set by hand after the matrices were filled. */
typedef struct {
    char matrix; /* 'A', 'B' or 'C' */
    int64_t row, column;
    float value; /* NaN and infinity included */
} options_poke;

typedef enum { CHECK_AUTO, CHECK_FULL, CHECK_SAMPLED, CHECK_NONE } options_check;
typedef enum { DEVICE_AUTO, DEVICE_CPU, DEVICE_GPU } options_device;
typedef enum { TIME_DEFAULT, TIME_NONE, TIME_BURST, TIME_SUSTAINED, TIME_BOTH } options_protocol;

typedef struct {
    int64_t m, n, k;                       /* -1 when not given */
    options_size sizes[OPTIONS_MAX_SIZES]; /* --size; --m, --n, --k replace an edge of each */
    int size_count;
    double alpha, beta;
    int64_t lda, ldb, ldc; /* 0: as narrow as the matrix */
    gemm_dtype dtypes[GEMM_DTYPE_COUNT];
    int dtype_count;
    gemm_dtype usual_dtypes[GEMM_DTYPE_COUNT]; /* --default-dtype */
    int usual_dtype_count;
    int default_dtypes; /* --dtype was not given: a kernel that lacks one of `dtypes` was not asked for it */
    const char *kernels[OPTIONS_MAX_KERNELS]; /* none: all of the stage */
    int kernel_count;
    int all_kernels;                            /* --kernel all was given */
    const char *sustained[OPTIONS_MAX_KERNELS]; /* the only ones to be timed sustained; none: all */
    int sustained_count;
    int all_sustained;                        /* --sustained all was given */
    const char *configs[OPTIONS_MAX_CONFIGS]; /* none: each kernel chooses, unless all_configs */
    int config_count;
    int all_configs;  /* --config all was given */
    int first_config; /* --config first was given */
    int list;
    matrix_init init;
    uint64_t seed;
    options_poke pokes[OPTIONS_MAX_POKES];
    int poke_count;
    options_check check;
    options_protocol protocol;
    int warmup, samples;
    int repeat; /* 0 when not given */
    int sanitize;
    const char *csv, *json, *counts, *findings; /* NULL: not asked for */
    options_device device;
} options;

/* Parses the command line of `stage`. On a bad one prints one sentence that names the flag and the limit and exits with
 * status 2; --help and --version print and exit with 0. */
void options_parse(options *o, int argc, char **argv, const gemm_stage *stage);

/* Whether a kernel of the stage is chosen by its name. */
int options_choose(const options *o, const gemm_kernel *kernel);

/* Whether a chosen kernel has no row of this type: it lacks the type, and nobody asked for it by name. */
int options_leave_out(const options *o, const gemm_stage *stage, const gemm_kernel *kernel, gemm_dtype dtype);

/* Whether --sustained lets a kernel be timed by that protocol. */
int options_choose_sustained(const options *o, const gemm_kernel *kernel);

/* The number that gemm_problem.config gives to a kernel's configuration, or 0 when it has none of that name. */
int options_find_config(const gemm_kernel *kernel, const char *name);

#endif

#define _GNU_SOURCE /* program_invocation_short_name */

#include "baseline.h"
#include "checks.h"
#include "counts.h"
#include "gpu.h"
#include "number.h"
#include "options.h"
#include "problem.h"
#include "provenance.h"
#include "record.h"
#include "verify.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef GEMM_CPU_DEVICE
enum { DEFAULT_SIZE = 256 };
#else
enum { DEFAULT_SIZE = 1024 };
#endif

/* Everything that lives as long as the run. */
typedef struct {
    const gemm_stage *stage;
    options options;
    gpu_info gpu;
    gpu_monitor *monitor;
    baseline *cublas;
    timing_protocol protocols[2];
    int protocol_count;
    gemm_record common; /* the fields that every row shares */
    record_list rows;
    uint64_t hash; /* of the result that is being told of, with --repeat */
    int name_width;
    int failures;
    int lost; /* a record or the terminal could not be written */
} run;

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NOT_WRITTEN = 3, EXIT_NO_DEVICE = 4 };

static _Noreturn void usage_error(const char *sentence) {
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, sentence);
    exit(EXIT_USAGE);
}

/* "mma", or "mma/128x128x64" for one of its configurations. */
static void name_kernel(const gemm_kernel *kernel, int config, char *name, size_t size) {
    if (config == 0)
        snprintf(name, size, "%s", kernel->name);
    else
        snprintf(name, size, "%s/%s", kernel->name, kernel->configs[config - 1]);
}

static int config_count(const gemm_kernel *kernel) {
    int count = 0;
    while (kernel->configs && kernel->configs[count])
        count++;
    return count;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static void print_speed(const gemm_record *row) {
    if (isnan(row->time_us))
        return;
    printf("  %s %.4g %s", row->protocol, row->time_us < 1e3 ? row->time_us : row->time_us / 1e3,
           row->time_us < 1e3 ? "us" : "ms");
    printf("  %.4g TFLOP/s", row->tflops);
    if (!isnan(row->util_unit))
        printf("  %.3g %% of its unit, %.3g %% of the fastest%s", 100.0 * row->util_unit, 100.0 * row->util_top,
               row->util_unit > 1.0 ? " (!) above the peak: check the timing" : "");
    if (!isnan(row->ratio))
        printf("  %.3f [%.3f, %.3f] x %s", row->ratio, row->ratio_lo, row->ratio_hi, row->baseline);
    else if (!isnan(row->util_unit)) /* a GPU kernel, with nothing to compare it with */
        printf("  cuBLAS n/a");
}

static void print_row(const run *r, const gemm_record *row, double relative_error) {
    char shape[80];
    snprintf(shape, sizeof shape, "%lldx%lldx%lld", (long long)row->m, (long long)row->n, (long long)row->k);
    printf("%-*s %-4s %-17s ", r->name_width, row->kernel, row->dtype, shape);
    if (strcmp(row->status, "pass") == 0)
        printf("PASS  max err %.2e, bound %.2e", row->max_err, row->err_bound);
    if (strcmp(row->status, "pass") == 0 && isfinite(relative_error))
        printf(", rel %.1e", relative_error);
    if (strcmp(row->status, "pass") == 0 && r->options.repeat > 0)
        printf(", the same bits %d time%s (hash %016" PRIx64 ")", r->options.repeat, r->options.repeat == 1 ? "" : "s",
               r->hash);
    if (strcmp(row->status, "pass") != 0)
        printf("%s  %s", strcmp(row->status, "fail") == 0 ? "FAIL" : "SKIP", row->reason);
    print_speed(row);
    printf("\n");
    fflush(stdout);
}

static void print_device(const run *r) {
    if (r->gpu.is_cpu_device) {
        printf("device: cpu (this driver was built for the CPU device: it checks results, it does not time)\n");
        if (r->options.protocol > TIME_NONE)
            printf("--protocol is ignored: the CPU device times nothing\n");
    } else {
        printf("device: gpu (%s, sm_%d%d, %d multiprocessors", r->gpu.name, r->gpu.major, r->gpu.minor,
               r->gpu.multiprocessors);
        if (!isnan(r->gpu.clock_mhz))
            printf(", %.0f MHz", r->gpu.clock_mhz);
        printf("; driver %s, CUDA %s", r->gpu.driver, r->gpu.toolkit);
        if (r->cublas)
            printf(", cuBLAS %s", baseline_version(r->cublas));
        printf(")\n");
    }
}

static void print_number(const char *format, double value, int width) {
    char text[32] = "n/a";
    if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    printf("%*s  ", width, text);
}

static void list_line(const run *r, const gemm_kernel *kernel, gemm_dtype dtype, int config) {
    char name[RECORD_NAME];
    gpu_usage usage = {NAN, NAN, NAN, NAN};
    if (kernel->footprint) {
        const gemm_problem empty = {.dtype = dtype, .config = config};
        const gemm_footprint footprint = kernel->footprint(&empty);
        usage = gpu_usage_of(&r->gpu, &footprint);
        if (isnan(usage.smem_bytes) && footprint.dynamic_smem > 0)
            usage.smem_bytes = (double)footprint.dynamic_smem;
    }
    name_kernel(kernel, config, name, sizeof name);
    printf("%-*s %-5s ", r->name_width, name, number_name(dtype));
    print_number("%.0f", usage.registers, 9);
    print_number("%.0f", usage.smem_bytes, 12);
    print_number("%.0f %%", 100.0 * usage.occupancy, 9);
    print_number("%.0f", usage.local_bytes, 11);
    printf("%s\n", kernel->adds);
}

static int is_asked_dtype(const options *o, gemm_dtype dtype) {
    for (int i = 0; i < o->dtype_count; i++)
        if (o->dtypes[i] == dtype)
            return 1;
    return o->default_dtypes;
}

static int is_asked_config(const options *o, const gemm_kernel *kernel, int config) {
    for (int i = 0; i < o->config_count; i++)
        if (config > 0 && strcmp(o->configs[i], kernel->configs[config - 1]) == 0)
            return 1;
    return o->config_count == 0 || o->all_configs || (o->first_config && config <= 1);
}

static void list_kernels(const run *r) {
    int listed = 0;
    printf("%-*s %-5s %9s  %12s  %9s  %11s  %s\n", r->name_width, "kernel", "type", "registers", "shared bytes",
           "occupancy", "local bytes", "what it shows");
    for (int i = 0; i < r->stage->kernel_count; i++) {
        const gemm_kernel *kernel = &r->stage->kernels[i];
        const int configs = config_count(kernel), chosen = options_choose(&r->options, kernel);
        for (int d = 0; d < GEMM_DTYPE_COUNT; d++)
            for (int config = configs > 0; config <= configs && (kernel->dtypes & GEMM_HAS(d)) && chosen; config++)
                if (is_asked_dtype(&r->options, (gemm_dtype)d) && is_asked_config(&r->options, kernel, config)) {
                    list_line(r, kernel, (gemm_dtype)d, config);
                    listed++;
                }
    }
    if (listed == 0)
        printf("No chosen kernel has such a type and configuration.\n");
    if (r->gpu.is_cpu_device)
        printf("Registers and occupancy are a GPU's: the CPU device has none. Of shared bytes it knows those that a "
               "launch asks for, not static arrays.\n");
}

/* Of the column of names: the longest that a row may have. */
static int name_width(const run *r) {
    int width = 14;
    for (int i = 0; i < r->stage->kernel_count; i++) {
        const gemm_kernel *kernel = &r->stage->kernels[i];
        for (int config = 1; config <= config_count(kernel); config++) {
            char name[RECORD_NAME];
            name_kernel(kernel, config, name, sizeof name);
            const int length = (int)strlen(name);
            if ((r->options.list || r->options.config_count > 0) && length > width)
                width = length;
        }
    }
    return width;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void set_status(gemm_record *row, const char *status, const char *reason) {
    snprintf(row->status, sizeof row->status, "%s", status);
    snprintf(row->reason, sizeof row->reason, "%s", reason);
}

/* At once, so that a later kernel that brings the process down takes no row with it. */
static void append_row(run *r, const gemm_record *row) {
    char error[512];
    gemm_record copy = *row;
    const record_list one = {&copy, 1, 1};
    if (r->options.csv && record_append_csv(r->options.csv, &one, error, sizeof error) != 0) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, error);
        r->options.csv = NULL; /* once is enough */
        r->lost = 1;
    }
}

/* `relative_error` is ||C - reference|| / ||reference||, shown for rows that passed. */
static void add_row(run *r, const gemm_record *row, double relative_error) {
    if (strcmp(row->status, "fail") == 0)
        r->failures++;
    print_row(r, row, relative_error);
    if (record_push(&r->rows, row) != 0) {
        fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
        exit(EXIT_NOT_WRITTEN);
    }
    append_row(r, row);
}

static void describe_row(const run *r, const gemm_kernel *kernel, const gemm_problem *shape, gemm_record *row) {
    *row = r->common;
    name_kernel(kernel, r->options.first_config ? 0 : shape->config, row->kernel, sizeof row->kernel);
    snprintf(row->dtype, sizeof row->dtype, "%s", number_name(shape->dtype));
    snprintf(row->acc, sizeof row->acc, "%s", number_name(kernel->sums));
    row->m = shape->M;
    row->n = shape->N;
    row->k = shape->K;
    if (kernel->footprint) {
        const gemm_footprint footprint = kernel->footprint(shape);
        const gpu_usage usage = gpu_usage_of(&r->gpu, &footprint);
        row->regs = usage.registers;
        row->smem_bytes = usage.smem_bytes;
        row->occupancy = usage.occupancy;
    }
}

/* Speed in TFLOP/s of 2 M N K operations; NAN for an empty product. Doubles, because 2 M N K passes 2^31 at 1024. */
static double rate(const gemm_problem *s, double time_us) {
    const double flops = 2.0 * (double)s->M * (double)s->N * (double)s->K;
    return flops > 0.0 && time_us > 0.0 ? flops / time_us / 1e6 : NAN;
}

static void fill_times(const run *r, const gemm_kernel *kernel, const gemm_problem *shape, const timing_result *t,
                       gemm_record *row) {
    row->samples = t->samples;
    row->time_us = t->time_us.median;
    row->time_lo_us = t->time_us.low;
    row->time_hi_us = t->time_us.high;
    row->tflops = rate(shape, t->time_us.median);
    row->util_unit = row->tflops / gpu_unit_peak(&r->gpu.peaks, kernel->unit);
    row->util_top = kernel->unit == GEMM_UNIT_HOST ? NAN : row->tflops / gpu_top_peak(&r->gpu.peaks, shape->dtype);
    row->sm_clock_mhz = t->readings.sm_clock_mhz;
    row->power_w = t->readings.power_w;
    row->temp_c = t->readings.temperature_c;
    if (!isnan(t->ratio.median)) {
        snprintf(row->baseline, sizeof row->baseline, "cublas");
        row->baseline_tflops = rate(shape, t->baseline_us.median);
        row->ratio = t->ratio.median;
        row->ratio_lo = t->ratio.low;
        row->ratio_hi = t->ratio.high;
    }
}

/* The last timed launch must have computed the product too: a kernel that stops working, or races now and then, is
 * fast. */
static int is_still_right(problem *p, const gemm_kernel *kernel, char *why, size_t why_size) {
    const int fetched = problem_fetch_timed(p, kernel, why, why_size);
    if (fetched != 0)
        return fetched > 0;
    verify_result judged;
    verify(&p->reference, verify_arithmetic_of(kernel->unit, kernel->sums), p->result, &judged);
    if (!judged.pass)
        snprintf(why, why_size, "right at first, wrong when timed: %s", judged.reason);
    return judged.pass;
}

/* One row per protocol, of which --sustained may leave out the second; a host kernel, which knows no power limit worth
 * the name, is timed once. Only a kernel that passed its check gets here. */
static void time_kernel(run *r, problem *p, const gemm_kernel *kernel, const gemm_record *checked,
                        double relative_error) {
    const int count = kernel->unit == GEMM_UNIT_HOST ? 1 : r->protocol_count;
    for (int i = 0; i < count; i++) {
        gemm_record row = *checked;
        if (r->protocols[i] == PROTOCOL_SUSTAINED && i > 0 && !options_choose_sustained(&r->options, kernel))
            continue; /* it has its row in burst */
        const timing_options how = {r->protocols[i], r->options.warmup, r->options.samples};
        timing_result times;
        snprintf(row.protocol, sizeof row.protocol, "%s", how.protocol == PROTOCOL_BURST ? "burst" : "sustained");
        const cudaError_t error = problem_time(p, kernel, r->cublas, &how, r->monitor, &times);
        char why[256];
        if (error != cudaSuccess) {
            snprintf(why, sizeof why, "failed while it was timed: %s", cudaGetErrorString(error));
            set_status(&row, "fail", why);
            cudaGetLastError();
        } else if (is_still_right(p, kernel, why, sizeof why)) {
            fill_times(r, kernel, &p->device, &times, &row);
        } else {
            set_status(&row, "fail", why);
        }
        add_row(r, &row, relative_error);
    }
}

static int is_timed(const run *r, const gemm_problem *s) {
    return r->protocol_count > 0 && s->M > 0 && s->N > 0 && s->K > 0 &&
           s->alpha != 0.0f; /* else nothing is multiplied */
}

/* Returns whether the checks found something; `why` then says so. wrong: the result is. */
static int tell_findings(problem *p, const gemm_kernel *kernel, int wrong, char *why, size_t why_size) {
    char first[160];
    if (wrong && checks_found() == 0)
        checks_wrong_result(&p->device, p->result, problem_makes_nan(p, kernel));
    const size_t found = checks_end(first, sizeof first);
    if (found > 0)
        snprintf(why, why_size, "the checks found %zu mistake%s (told above), first: %s", found, found == 1 ? "" : "s",
                 first);
    return found > 0;
}

static void run_kernel(run *r, problem *p, const gemm_kernel *kernel) {
    gemm_record row;
    char why[256];
    describe_row(r, kernel, &p->device, &row);
    if (r->options.counts)
        counts_begin(&row);
    if (r->options.sanitize)
        checks_begin(&row, &p->device);
    int ran = problem_run(p, kernel, why, sizeof why) == 0;
    verify_result judged = {.pass = 1};
    if (ran && p->has_oracle)
        verify(&p->reference, verify_arithmetic_of(kernel->unit, kernel->sums), p->result, &judged);
    if (ran && judged.pass && r->options.repeat > 0) {
        r->hash = problem_hash(p);
        ran = problem_repeat(p, kernel, r->options.repeat, why, sizeof why) == 0;
    }
    const int found = r->options.sanitize && tell_findings(p, kernel, !judged.pass, why, sizeof why);
    p->inputs_in_doubt = !ran || found || !judged.pass;
    if (r->options.counts)
        counts_end();
    if (!ran || found) {
        set_status(&row, "fail", why);
        add_row(r, &row, NAN);
        return;
    }
    if (!p->has_oracle) {
        if (r->options.repeat > 0)
            snprintf(why, sizeof why, "the same bits %d time%s (hash %016" PRIx64 "), but not checked (--check none)",
                     r->options.repeat, r->options.repeat == 1 ? "" : "s", r->hash);
        else
            snprintf(why, sizeof why, "ran, but its result was not checked (--check none), so it has no speed");
        set_status(&row, "skip", why);
        add_row(r, &row, NAN);
        return;
    }
    row.max_err = judged.max_err;
    row.err_bound = judged.err_bound;
    set_status(&row, judged.pass ? "pass" : "fail", judged.reason);
    if (judged.pass && is_timed(r, &p->device))
        time_kernel(r, p, kernel, &row, judged.frobenius);
    else
        add_row(r, &row, judged.frobenius);
}

/* Of shared memory for a block; static arrays included where the runtime tells of them. */
static size_t smem_bytes_of(const run *r, const gemm_kernel *kernel, const gemm_problem *shape) {
    if (!kernel->footprint)
        return 0;
    const gemm_footprint footprint = kernel->footprint(shape);
    const double all = gpu_usage_of(&r->gpu, &footprint).smem_bytes;
    return isnan(all) ? footprint.dynamic_smem : (size_t)all;
}

static const char *why_not(const run *r, const gemm_kernel *kernel, const gemm_problem *shape) {
    static char text[160];
    if (!(kernel->dtypes & GEMM_HAS(shape->dtype))) {
        snprintf(text, sizeof text, "this kernel has no %s version", number_name(shape->dtype));
        return text;
    }
    const char *reason =
        gpu_lacks(&r->gpu, kernel->unit, shape->dtype, smem_bytes_of(r, kernel, shape), text, sizeof text);
    return reason || !kernel->unsupported ? reason : kernel->unsupported(shape);
}

static void add_unrun(run *r, const gemm_kernel *kernel, const gemm_problem *shape, const char *status,
                      const char *why) {
    gemm_record row;
    describe_row(r, kernel, shape, &row);
    set_status(&row, status, why);
    add_row(r, &row, NAN);
}

/* Whether a kernel has rows of this type. */
static int has_rows(const run *r, const gemm_kernel *kernel, gemm_dtype dtype) {
    return options_choose(&r->options, kernel) && !options_leave_out(&r->options, r->stage, kernel, dtype);
}

/* A problem that is on the device, or why it is not. */
typedef struct {
    gemm_problem shape;
    problem *problem; /* NULL: not there */
    const char *status, *why;
} prepared;

static void run_config(run *r, const prepared *on, const gemm_kernel *kernel, int config) {
    gemm_problem shape = on->shape;
    shape.config = config;
    const char *reason = why_not(r, kernel, &shape);
    if (reason) {
        add_unrun(r, kernel, &shape, "skip", reason);
    } else if (!on->problem) {
        add_unrun(r, kernel, &shape, on->status, on->why);
    } else {
        on->problem->device.config = config;
        run_kernel(r, on->problem, kernel);
    }
}

/* The row of a kernel that lacks a configuration which another one has, and was named. */
static void skip_config(run *r, const prepared *on, const gemm_kernel *kernel, const char *config) {
    gemm_record row;
    char why[160];
    describe_row(r, kernel, &on->shape, &row);
    snprintf(row.kernel, sizeof row.kernel, "%s/%s", kernel->name, config);
    row.regs = row.smem_bytes = row.occupancy = NAN;
    snprintf(why, sizeof why, "this kernel has no configuration %.100s", config);
    set_status(&row, "skip", why);
    add_row(r, &row, NAN);
}

static void run_configs(run *r, const prepared *on, const gemm_kernel *kernel) {
    const options *o = &r->options;
    const int count = config_count(kernel);
    if (o->config_count == 0 || ((o->all_configs || o->first_config) && count == 0))
        run_config(r, on, kernel, 0);
    else if (o->first_config)
        run_config(r, on, kernel, 1);
    for (int config = 1; config <= count && o->all_configs; config++)
        run_config(r, on, kernel, config);
    for (int i = 0; i < o->config_count && !o->all_configs && !o->first_config; i++) {
        const int config = options_find_config(kernel, o->configs[i]);
        if (config > 0)
            run_config(r, on, kernel, config);
        else if (o->kernel_count > 0)
            skip_config(r, on, kernel, o->configs[i]);
    }
}

/* All chosen kernels on one shape and type. */
static void run_shape(run *r, const gemm_problem *shape) {
    char why[256];
    problem p;
    const int with_baseline = r->cublas != NULL && is_timed(r, shape);
    /* Too large is a reason to skip; anything else that keeps the problem from the device is a failure. */
    const int fits = problem_fits(&r->options, shape, with_baseline, &r->gpu, why, sizeof why);
    const int ready = fits == 0 && problem_create(&p, &r->options, shape, why, sizeof why) == 0;
    const prepared on = {*shape, ready ? &p : NULL, fits > 0 ? "skip" : "fail", why};
    if (ready && with_baseline)
        problem_check_baseline(&p, r->cublas);
    if (ready && with_baseline && !p.has_baseline)
        printf("cuBLAS n/a: %s\n", p.no_baseline);
    for (int i = 0; i < r->stage->kernel_count; i++) {
        const gemm_kernel *kernel = &r->stage->kernels[i];
        if (has_rows(r, kernel, shape->dtype))
            run_configs(r, &on, kernel);
    }
    if (ready)
        problem_destroy(&p);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static int64_t or_default(int64_t value, int64_t fallback) { return value < 0 ? fallback : value; }

static int64_t leading(int64_t given, int64_t least, const char *flag, const char *edge) {
    char sentence[160];
    if (given != 0 && given < least) {
        snprintf(sentence, sizeof sentence, "--%s: %lld is too narrow: a row of that matrix has %s = %lld elements",
                 flag, (long long)given, edge, (long long)least);
        usage_error(sentence);
    }
    return given != 0 ? given : least > 0 ? least : 1;
}

static gemm_problem shape_of(const options *o, options_size size, gemm_dtype dtype) {
    gemm_problem s = {.M = or_default(o->m, size.m),
                      .N = or_default(o->n, size.n),
                      .K = or_default(o->k, size.k),
                      .alpha = (float)o->alpha,
                      .beta = (float)o->beta,
                      .dtype = dtype};
    s.lda = leading(o->lda, s.K, "lda", "K");
    s.ldb = leading(o->ldb, s.N, "ldb", "N");
    s.ldc = leading(o->ldc, s.N, "ldc", "N");
    for (int i = 0; i < o->poke_count; i++) {
        const options_poke *at = &o->pokes[i];
        const int64_t rows = at->matrix == 'B' ? s.K : s.M, cols = at->matrix == 'A' ? s.K : s.N;
        char sentence[160];
        if (at->row >= rows || at->column >= cols) {
            snprintf(sentence, sizeof sentence, "--poke: %c has no element [%lld][%lld]; it is %lld x %lld", at->matrix,
                     (long long)at->row, (long long)at->column, (long long)rows, (long long)cols);
            usage_error(sentence);
        }
    }
    return s;
}

/* A driver called like a stage directory must be that stage: a copied main.c still carries the old name, and its rows
 * would be taken for the other stage's. */
static void check_name(const gemm_stage *stage) {
    const char *own = program_invocation_short_name;
    char sentence[200];
    if (isdigit((unsigned char)own[0]) && isdigit((unsigned char)own[1]) && own[2] == '_' && strcmp(own, stage->name)) {
        snprintf(sentence, sizeof sentence,
                 "this driver is %.60s, but its main.c names the stage %.60s: correct it there", own, stage->name);
        usage_error(sentence);
    }
}

static void choose_device(const options *o) {
    if (o->counts && !counts_supported())
        usage_error("--counts: only the CPU device counts; on a GPU `./ladder profile` reads the same counters");
    if (o->sanitize && !checks_supported())
        usage_error("--sanitize: only the CPU device checks; on a GPU run this driver under compute-sanitizer");
#ifdef GEMM_CPU_DEVICE
    if (o->device == DEVICE_GPU)
        usage_error("--device gpu: this driver was built for the CPU device; build with `cmake --preset gpu`, "
                    "or use `./ladder run --device gpu`");
#else
    if (o->device == DEVICE_CPU)
        usage_error("--device cpu: this driver was built for a GPU; build with `cmake --preset cpu`, "
                    "or use `./ladder run --device cpu`");
#endif
}

static void choose_protocols(run *r) {
    const options_protocol wanted = r->options.protocol;
    if (r->options.check == CHECK_NONE || r->options.list || wanted == TIME_NONE || r->gpu.is_cpu_device)
        return;
    if (wanted != TIME_SUSTAINED)
        r->protocols[r->protocol_count++] = PROTOCOL_BURST;
    if (wanted == TIME_SUSTAINED || wanted == TIME_BOTH)
        r->protocols[r->protocol_count++] = PROTOCOL_SUSTAINED;
}

static void fill_common(run *r) {
    gemm_record *c = &r->common;
    record_clear(c);
    snprintf(c->stage, sizeof c->stage, "%s", r->stage->name);
    c->alpha = (double)(float)r->options.alpha; /* as the kernels get them */
    c->beta = (double)(float)r->options.beta;
    snprintf(c->init, sizeof c->init, "%s", matrix_init_name(r->options.init));
    snprintf(c->l2, sizeof c->l2, "hot");
    snprintf(c->protocol, sizeof c->protocol, "none");
    snprintf(c->gpu, sizeof c->gpu, "%s", r->gpu.name);
    snprintf(c->driver, sizeof c->driver, "%s", r->gpu.driver);
    snprintf(c->toolkit, sizeof c->toolkit, "%s", r->gpu.toolkit);
    snprintf(c->cublas, sizeof c->cublas, "%s", r->cublas ? baseline_version(r->cublas) : "");
    provenance_commit(c->commit, sizeof c->commit);
    provenance_date(c->date, sizeof c->date);
}

/* What is at `path` must be a record of ours, or nothing: better to say so now than after an hour of measuring, and a
 * stranger's file is never written over. `is_record` reads an existing, non-empty one. */
static void check_output(const char *flag, const char *path,
                         int (*is_record)(const char *path, char *why, size_t size)) {
    struct stat status;
    char sentence[700], why[512];
    if (!path)
        return;
    const int exists = stat(path, &status) == 0;
    if ((exists && !S_ISREG(status.st_mode)) || (!exists && lstat(path, &status) == 0)) {
        snprintf(sentence, sizeof sentence, "--%s: %s is not a plain file", flag, path);
        usage_error(sentence);
    }
    if (exists && status.st_size > 0 && is_record(path, why, sizeof why) != 0) {
        snprintf(sentence, sizeof sentence, "--%s: %s; it is left alone, choose another file", flag, why);
        usage_error(sentence);
    }
    const int tried = open(path, exists ? O_WRONLY | O_APPEND : O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (tried < 0) {
        snprintf(sentence, sizeof sentence, "--%s: cannot write %s: %s", flag, path, strerror(errno));
        usage_error(sentence);
    }
    close(tried);
    if (!exists)
        unlink(path);
}

static int is_csv_record(const char *path, char *why, size_t size) {
    record_list ignored = {0};
    const int result = record_read_csv(path, &ignored, why, size);
    record_list_free(&ignored);
    return result;
}

/* An array whose first object starts with a stage, or an empty one. */
static int is_json_record(const char *path, char *why, size_t size) {
    char start[64] = "", word[8] = "";
    FILE *f = fopen(path, "r");
    const size_t got = f ? fread(start, 1, sizeof start - 1, f) : 0;
    if (f)
        fclose(f);
    start[got] = '\0';
    int end = 0;
    const int is_ours = (sscanf(start, " [ { \"%7[^\"]", word) == 1 && strcmp(word, "stage") == 0) ||
                        (sscanf(start, " [ ]%n", &end) == 0 && end > 0);
    if (!is_ours)
        snprintf(why, size, "%s exists and is not a JSON record", path);
    return is_ours ? 0 : -1;
}

/* The directory of a path as it really is, and the name in it; both to be freed, NULL when they cannot be had. */
static void take_apart(const char *path, char **directory, char **name) {
    const char *slash = strrchr(path, '/');
    char *head = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    *name = strdup(slash ? slash + 1 : path);
    *directory = head ? realpath(head, NULL) : NULL;
    free(head);
}

/* However the two are spelled. */
static int is_same_file(const char *a, const char *b) {
    char *directories[2], *names[2];
    take_apart(a, &directories[0], &names[0]);
    take_apart(b, &directories[1], &names[1]);
    const int same = directories[0] && directories[1] && names[0] && names[1] &&
                     strcmp(directories[0], directories[1]) == 0 && strcmp(names[0], names[1]) == 0;
    for (int i = 0; i < 2; i++) {
        free(directories[i]);
        free(names[i]);
    }
    return same;
}

static void check_outputs(const options *o) {
    check_output("csv", o->csv, is_csv_record);
    check_output("json", o->json, is_json_record);
    check_output("counts", o->counts, counts_check_header);
    check_output("findings", o->findings, checks_check_header);
    const struct {
        const char *flag, *path;
    } outputs[] = {{"csv", o->csv}, {"json", o->json}, {"counts", o->counts}, {"findings", o->findings}};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        for (size_t j = 0; j < i; j++)
            if (outputs[i].path && outputs[j].path && is_same_file(outputs[i].path, outputs[j].path)) {
                char sentence[160];
                snprintf(sentence, sizeof sentence, "--%s: the same file as --%s; choose another", outputs[i].flag,
                         outputs[j].flag);
                usage_error(sentence);
            }
}

/* The JSON file is written whole, with the speedups that this run alone can tell. */
static void write_json(run *r) {
    char error[512];
    record_fill_speedups(&r->rows);
    if (r->options.json && record_write_json(r->options.json, &r->rows, error, sizeof error) != 0) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, error);
        r->lost = 1;
    }
}

static void write_counts(run *r) {
    char error[512];
    if (r->options.counts && counts_write(r->options.counts, error, sizeof error) != 0) {
        fprintf(stderr, "%s: --counts: %s\n", program_invocation_short_name, error);
        r->lost = 1;
    }
}

static void write_findings(run *r) {
    char error[512];
    if (r->options.findings && checks_write(r->options.findings, error, sizeof error) != 0) {
        fprintf(stderr, "%s: --findings: %s\n", program_invocation_short_name, error);
        r->lost = 1;
    }
}

/* A type that every kernel would be left out for costs nothing. */
static int is_wanted(const run *r, gemm_dtype dtype) {
    int wanted = 0;
    for (int i = 0; i < r->stage->kernel_count; i++)
        wanted |= has_rows(r, &r->stage->kernels[i], dtype);
    return wanted;
}

static void run_all(run *r, void (*visit)(run *, const gemm_problem *)) {
    for (int d = 0; d < r->options.dtype_count; d++)
        for (int i = 0; i < r->options.size_count && is_wanted(r, r->options.dtypes[d]); i++) {
            const gemm_problem shape = shape_of(&r->options, r->options.sizes[i], r->options.dtypes[d]);
            visit(r, &shape);
        }
}

static void only_validate(run *r, const gemm_problem *shape) { (void)r, (void)shape; }

static int exit_status(const run *r) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s: the output could not be written: %s\n", program_invocation_short_name, strerror(errno));
        return EXIT_NOT_WRITTEN;
    }
    return r->lost ? EXIT_NOT_WRITTEN : r->failures > 0 ? EXIT_FAILED : 0;
}

int gemm_main(int argc, char **argv, const gemm_stage *stage) {
    run r = {.stage = stage};
    char error[256];
    options_parse(&r.options, argc, argv, stage);
    if (r.options.size_count == 0)
        r.options.sizes[r.options.size_count++] = (options_size){DEFAULT_SIZE, DEFAULT_SIZE, DEFAULT_SIZE};
    check_name(stage);
    r.name_width = name_width(&r);
    choose_device(&r.options);
    run_all(&r, only_validate); /* a bad shape ends the run before anything is written */
    if (!r.options.list)
        check_outputs(&r.options);
    if (gpu_describe(&r.gpu, error, sizeof error) != 0) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, error);
        return EXIT_NO_DEVICE;
    }
    choose_protocols(&r);
    r.cublas = r.protocol_count > 0 ? baseline_open(error, sizeof error) : NULL; /* takes a second: only when needed */
    print_device(&r);
    if (r.protocol_count > 0 && !r.cublas)
        printf("cuBLAS n/a: %s\n", error);
    if (r.options.list) {
        list_kernels(&r);
        return exit_status(&r);
    }
    r.monitor = gpu_monitor_open(&r.gpu);
    fill_common(&r);
    run_all(&r, run_shape);
    write_json(&r);
    write_counts(&r);
    write_findings(&r);
    record_list_free(&r.rows);
    gpu_monitor_close(r.monitor);
    baseline_close(r.cublas);
    return exit_status(&r);
}

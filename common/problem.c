#define _GNU_SOURCE /* _SC_AVPHYS_PAGES */

#include "problem.h"

#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GIB = 1024.0 * 1024.0 * 1024.0;
static const oracle_mode oracle_modes[] = {[CHECK_AUTO] = ORACLE_AUTO,
                                           [CHECK_FULL] = ORACLE_FULL,
                                           [CHECK_SAMPLED] = ORACLE_SAMPLED,
                                           [CHECK_NONE] = ORACLE_AUTO};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* A number at the start of a file, or after a word in it; INFINITY when there is none ("max" is no number). */
static double number_in_file(const char *path, const char *word) {
    FILE *f = fopen(path, "r");
    char line[128];
    double value = (double)INFINITY;
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, word, strlen(word)) == 0 && sscanf(line + strlen(word), "%lf", &value) == 1)
            break;
    if (f)
        fclose(f);
    return value;
}

/* Bytes of host memory that can be had: what the system has without swapping, or what is left of the limit of this
 * container (control group); INFINITY when neither is told. */
static double available_memory(void) {
    const double system = 1024.0 * number_in_file("/proc/meminfo", "MemAvailable:");
    const double limit = number_in_file("/sys/fs/cgroup/memory.max", "");
    const double used = number_in_file("/sys/fs/cgroup/memory.current", "");
    const double cached = number_in_file("/sys/fs/cgroup/memory.stat", "file "); /* given back when memory is wanted */
    return isfinite(limit) && isfinite(used) && isfinite(cached) ? fmin(system, limit - used + cached) : system;
}

int problem_fits(const options *o, const gemm_problem *s, int with_baseline, const gpu_info *gpu, char *why,
                 size_t why_size) {
    const double c_host = matrix_host_bytes(s->dtype, s->M, s->N);
    const double host = matrix_host_bytes(s->dtype, s->M, s->K) + matrix_host_bytes(s->dtype, s->K, s->N) +
                        c_host * (s->beta == 0.0f ? 1.0 : 2.0);
    const double c_device = matrix_device_bytes(s->dtype, s->M, s->N, s->ldc);
    double device = matrix_device_bytes(s->dtype, s->M, s->K, s->lda) +
                    matrix_device_bytes(s->dtype, s->K, s->N, s->ldb) + c_device * (with_baseline ? 2.0 : 1.0) +
                    (s->beta == 0.0f ? 0.0 : c_host);
    size_t free_bytes = 0, total = 0;
    if (cudaMemGetInfo(&free_bytes, &total) != cudaSuccess) {
        snprintf(why, why_size, "the device no longer answers: %s", cudaGetErrorString(cudaGetLastError()));
        return -1;
    }
    if (device > (double)free_bytes) {
        snprintf(why, why_size, "needs %.0f bytes (%.1f GiB) of device memory, %.0f (%.1f GiB) are free", device,
                 device / GIB, (double)free_bytes, (double)free_bytes / GIB);
        return 1;
    }
    const oracle_problem ask = {.dtype = s->dtype, .M = s->M, .N = s->N, .K = s->K, .alpha = 1.0};
    const double reference = o->check == CHECK_NONE ? 0.0 : oracle_bytes(&ask, oracle_modes[o->check]);
    /* The CPU device keeps what is touched in host memory. */
    const double touched = matrix_touched_bytes(s->dtype, s->M, s->K, s->lda) +
                           matrix_touched_bytes(s->dtype, s->K, s->N, s->ldb) +
                           matrix_touched_bytes(s->dtype, s->M, s->N, s->ldc) + (s->beta == 0.0f ? 0.0 : c_host);
    const double needed = host + reference + (with_baseline ? c_host : 0.0) + (gpu->is_cpu_device ? touched : 0.0);
    if (needed > available_memory()) {
        snprintf(why, why_size, "needs %.0f bytes (%.1f GiB) of host memory, %.0f (%.1f GiB) are free", needed,
                 needed / GIB, available_memory(), available_memory() / GIB);
        return 1;
    }
    return 0;
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

static void poke(problem *p, const options *o) {
    for (int i = 0; i < o->poke_count; i++) {
        matrix *m = o->pokes[i].matrix == 'A' ? &p->A : o->pokes[i].matrix == 'B' ? &p->B : &p->C;
        number_store(m->dtype, m->host, o->pokes[i].row * m->cols + o->pokes[i].column, o->pokes[i].value);
    }
}

static int is_random(const options *o) { return o->init == INIT_NORMAL || o->init == INIT_UNIFORM; }

/* Whole numbers throughout, so that the oracle may ask for exact sums. */
static int all_integers(const options *o) {
    int whole = !is_random(o) && rint(o->alpha) == o->alpha && rint(o->beta) == o->beta;
    for (int i = 0; i < o->poke_count; i++)
        whole = whole && isfinite(o->pokes[i].value) && rintf(o->pokes[i].value) == o->pokes[i].value;
    return whole;
}

static cudaError_t upload_inputs(const problem *p) {
    const cudaError_t error = matrix_upload(&p->A, p->A.host);
    return error == cudaSuccess ? matrix_upload(&p->B, p->B.host) : error;
}

static cudaError_t upload(problem *p) {
    cudaError_t error = matrix_allocate_device(&p->A);
    if (error == cudaSuccess)
        error = matrix_allocate_device(&p->B);
    if (error == cudaSuccess)
        error = matrix_allocate_device(&p->C);
    if (error == cudaSuccess)
        error = upload_inputs(p);
    const size_t c_bytes = (size_t)p->C.rows * (size_t)p->C.cols * number_size(p->C.dtype);
    if (error == cudaSuccess && p->device.beta != 0.0f && c_bytes > 0) {
        error = cudaMalloc(&p->pristine, c_bytes);
        if (error == cudaSuccess)
            error = cudaMemcpy(p->pristine, p->C.host, c_bytes, cudaMemcpyHostToDevice);
    }
    return error;
}

int problem_create(problem *p, const options *o, const gemm_problem *shape, char *why, size_t why_size) {
    const gemm_problem *s = shape;
    *p = (problem){.device = *shape};
    snprintf(why, why_size, "out of host memory");
    if (matrix_create(&p->A, s->dtype, s->M, s->K, s->lda) || matrix_create(&p->B, s->dtype, s->K, s->N, s->ldb) ||
        matrix_create(&p->C, s->dtype, s->M, s->N, s->ldc)) {
        problem_destroy(p);
        return -1;
    }
    matrix_fill(&p->A, o->init, o->seed, 'A');
    matrix_fill(&p->B, o->init, o->seed, 'B');
    /* With beta == 0 nobody may read C, so its host copy is free to take the result. */
    if (s->beta != 0.0f) {
        matrix_fill(&p->C, o->init, o->seed, 'C');
        p->result = malloc((size_t)s->M * (size_t)s->N * number_size(s->dtype) + 1);
    } else {
        p->result = p->C.host;
    }
    poke(p, o);
    const oracle_problem ask = {s->dtype,        s->M,      s->N,      s->K,      (double)s->alpha,
                                (double)s->beta, p->A.host, p->B.host, p->C.host, all_integers(o),
                                !is_random(o)};
    if (!p->result ||
        (o->check != CHECK_NONE && oracle_create(&p->reference, &ask, oracle_modes[o->check], o->seed) != 0)) {
        problem_destroy(p);
        return -1;
    }
    p->has_oracle = o->check != CHECK_NONE;
    const cudaError_t error = upload(p);
    p->device.A = p->A.device;
    p->device.B = p->B.device;
    p->device.C = p->C.device;
    if (error != cudaSuccess) {
        snprintf(why, why_size, "the matrices could not be put on the device: %s", cudaGetErrorString(error));
        cudaGetLastError();
        problem_destroy(p);
        return -1;
    }
    return 0;
}

void problem_destroy(problem *p) {
    if (p->result != p->C.host)
        free(p->result);
    if (p->pristine)
        cudaFree(p->pristine);
    matrix_destroy(&p->A);
    matrix_destroy(&p->B);
    matrix_destroy(&p->C);
    matrix_destroy(&p->baseline_C);
    oracle_destroy(&p->reference);
    *p = (problem){0};
}

/* C as it was before the product, on the device; NaN when beta == 0, because then nobody may read it. */
static cudaError_t restore(const problem *p, const matrix *C, cudaStream_t stream) {
    const size_t width = (size_t)C->cols * number_size(C->dtype), pitch = (size_t)C->ld * number_size(C->dtype);
    if (C->rows == 0 || C->cols == 0)
        return cudaSuccess;
    if (!p->pristine)
        return matrix_poison(C, stream);
    return cudaMemcpy2DAsync(C->device, pitch, p->pristine, width, width, (size_t)C->rows, cudaMemcpyDeviceToDevice,
                             stream);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static int failed(char *why, size_t why_size, const char *what, cudaError_t error) {
    snprintf(why, why_size, "%s: %s (%s)", what, cudaGetErrorString(error), cudaGetErrorName(error));
    cudaGetLastError(); /* so that the next row starts clean, unless the error is sticky */
    return -1;
}

static gemm_problem host_view(const problem *p) {
    gemm_problem view = p->device;
    view.A = p->A.host;
    view.lda = p->A.cols;
    view.B = p->B.host;
    view.ldb = p->B.cols;
    view.C = p->result;
    view.ldc = p->C.cols;
    return view;
}

static int run_on_host(problem *p, const gemm_kernel *kernel, char *why, size_t why_size) {
    const gemm_problem view = host_view(p);
    const size_t bytes = (size_t)view.M * (size_t)view.N * number_size(view.dtype);
    if (view.beta == 0.0f)
        memset(p->result, 0xff, bytes);
    else
        memcpy(p->result, p->C.host, bytes);
    const cudaError_t error = kernel->launch(&view, NULL);
    return error == cudaSuccess ? 0 : failed(why, why_size, "the host kernel failed", error);
}

/* Guards, then C into p->result. */
static int collect(problem *p, char *why, size_t why_size) {
    cudaError_t error;
    const char *overwritten = NULL;
    const struct {
        const matrix *m;
        const char *name;
    } fenced[] = {{&p->A, "A"}, {&p->B, "B"}, {&p->C, "C"}};
    for (int i = 0; i < 3; i++) {
        int intact = 1;
        error = matrix_guards_intact(fenced[i].m, &intact);
        if (error != cudaSuccess)
            return failed(why, why_size, "the guards could not be read", error);
        if (intact)
            continue;
        overwritten = overwritten ? overwritten : fenced[i].name;
        error = matrix_set_guards(fenced[i].m); /* the next kernel shall not pay for it */
        if (error != cudaSuccess)
            return failed(why, why_size, "the guards could not be restored", error);
    }
    if (overwritten) {
        snprintf(why, why_size, "memory around %s was overwritten (guard bands, or the gap between its rows)",
                 overwritten);
        return -1;
    }
    error = matrix_download(&p->C, p->result);
    return error == cudaSuccess ? 0 : failed(why, why_size, "C could not be read back", error);
}

int problem_run(problem *p, const gemm_kernel *kernel, char *why, size_t why_size) {
    if (kernel->unit == GEMM_UNIT_HOST)
        return run_on_host(p, kernel, why, why_size);
    cudaError_t error = restore(p, &p->C, NULL);
    if (error == cudaSuccess && p->inputs_in_doubt)
        error = upload_inputs(p);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        return failed(why, why_size, "the matrices could not be prepared", error);
    error = kernel->launch(&p->device, NULL);
    const cudaError_t launched = cudaGetLastError();
    error = error != cudaSuccess ? error : launched;
    if (error != cudaSuccess)
        return failed(why, why_size, "the launch failed", error);
    error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        return failed(why, why_size, "the kernel failed", error);
    return collect(p, why, why_size);
}

static size_t result_bytes(const problem *p) { return (size_t)p->C.rows * (size_t)p->C.cols * number_size(p->C.dtype); }

static void tell_difference(const problem *p, const void *first, int time, char *why, size_t why_size) {
    const size_t size = number_size(p->C.dtype);
    int64_t i = 0;
    while (memcmp((const char *)first + (size_t)i * size, (const char *)p->result + (size_t)i * size, size) == 0)
        i++;
    snprintf(why, why_size, "the same problem gave other bits the %d. time: C[%lld][%lld] was %.9g, then %.9g", time,
             (long long)(i / p->C.cols), (long long)(i % p->C.cols), number_load(p->C.dtype, first, i),
             number_load(p->C.dtype, p->result, i));
}

int problem_repeat(problem *p, const gemm_kernel *kernel, int times, char *why, size_t why_size) {
    const size_t bytes = result_bytes(p);
    void *first = malloc(bytes + 1);
    if (!first) {
        snprintf(why, why_size, "out of host memory");
        return -1;
    }
    memcpy(first, p->result, bytes);
    int status = 0;
    for (int time = 2; time <= times && status == 0; time++) {
        status = problem_run(p, kernel, why, why_size);
        if (status == 0 && memcmp(first, p->result, bytes) != 0) {
            tell_difference(p, first, time, why, why_size);
            status = -1;
        }
    }
    free(first);
    return status;
}

/* FNV-1a, 64 bits: Fowler, Noll and Vo, draft-eastlake-fnv. */
uint64_t problem_hash(const problem *p) {
    const unsigned char *bytes = p->result;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < result_bytes(p); i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static int has_nonfinite(const matrix *m, const void *packed) {
    int found = 0;
    for (int64_t i = 0; i < m->rows * m->cols && !found; i++)
        found = isnan(number_load(m->dtype, packed, i)) || isinf(number_load(m->dtype, packed, i));
    return found;
}

int problem_makes_nan(problem *p, const gemm_kernel *kernel) {
    char why[256];
    if (kernel->unit == GEMM_UNIT_HOST || !has_nonfinite(&p->C, p->result) || has_nonfinite(&p->A, p->A.host) ||
        has_nonfinite(&p->B, p->B.host))
        return 0;
    if (p->pristine)
        return !has_nonfinite(&p->C, p->C.host);
    /* With beta == 0 the NaN may be that of the C before. */
    const size_t pitch = (size_t)p->C.ld * number_size(p->C.dtype), width = (size_t)p->C.cols * number_size(p->C.dtype);
    if (cudaMemset2D(p->C.device, pitch, 0, width, (size_t)p->C.rows) != cudaSuccess ||
        kernel->launch(&p->device, NULL) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return collect(p, why, sizeof why) == 0 && has_nonfinite(&p->C, p->result);
}

/* ---- cuBLAS ------------------------------------------------------------------------------------------------------ */

static gemm_problem baseline_view(const problem *p) {
    gemm_problem view = p->device;
    view.C = p->baseline_C.device;
    return view;
}

static int try_baseline(problem *p, baseline *cublas, char *why, size_t why_size) {
    matrix *C = &p->baseline_C;
    if (matrix_create(C, p->C.dtype, p->C.rows, p->C.cols, p->C.ld) != 0) {
        snprintf(why, why_size, "out of host memory");
        return -1;
    }
    cudaError_t error = matrix_allocate_device(C);
    if (error == cudaSuccess)
        error = restore(p, C, NULL);
    if (error != cudaSuccess)
        return failed(why, why_size, "no room for its result", error);
    const gemm_problem view = baseline_view(p);
    if (baseline_launch(cublas, &view, NULL, why, why_size) != 0)
        return -1;
    error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        error = matrix_download(C, C->host);
    if (error != cudaSuccess)
        return failed(why, why_size, "it failed", error);
    if (p->has_oracle) {
        verify_result judged;
        const gemm_unit unit = p->device.dtype == GEMM_F32    ? GEMM_UNIT_FP32
                               : p->device.dtype == GEMM_TF32 ? GEMM_UNIT_TF32_TENSOR
                                                              : GEMM_UNIT_FP16_TENSOR;
        verify(&p->reference, verify_arithmetic_of(unit, GEMM_F32), C->host, &judged);
        if (!judged.pass) {
            snprintf(why, why_size, "it disagrees with the oracle: %s", judged.reason);
            return -1;
        }
    }
    return 0;
}

void problem_check_baseline(problem *p, baseline *cublas) {
    p->has_baseline = try_baseline(p, cublas, p->no_baseline, sizeof p->no_baseline) == 0;
}

/* ---- timing ------------------------------------------------------------------------------------------------------ */

typedef struct {
    problem *p;
    gemm_problem view;
    const gemm_kernel *kernel;
    baseline *cublas;
} timed;

static cudaError_t launch_kernel(void *context, cudaStream_t stream) {
    const timed *t = context;
    return t->kernel->launch(&t->view, stream);
}

static cudaError_t launch_baseline(void *context, cudaStream_t stream) {
    const timed *t = context;
    char why[200];
    return baseline_launch(t->cublas, &t->view, stream, why, sizeof why) == 0 ? cudaSuccess : cudaErrorUnknown;
}

static float damped(float beta) { return fabsf(beta) > 0.5f ? copysignf(0.5f, beta) : beta; }

/* So that every group starts from the same C, and a launch that does nothing is found out. */
static cudaError_t prepare_kernel(void *context, cudaStream_t stream) {
    const timed *t = context;
    return restore(t->p, &t->p->C, stream);
}

static cudaError_t prepare_baseline(void *context, cudaStream_t stream) {
    const timed *t = context;
    return restore(t->p, &t->p->baseline_C, stream);
}

cudaError_t problem_time(problem *p, const gemm_kernel *kernel, baseline *cublas, const timing_options *options,
                         gpu_monitor *monitor, timing_result *result) {
    if (kernel->unit == GEMM_UNIT_HOST) {
        timed t = {p, host_view(p), kernel, NULL};
        const timing_subject subject = {launch_kernel, NULL, &t};
        return timing_run_host(&subject, result);
    }
    timed own = {p, p->device, kernel, NULL}, other = {p, baseline_view(p), NULL, cublas};
    own.view.beta = other.view.beta = damped(p->device.beta);
    const timing_subject subject = {launch_kernel, prepare_kernel, &own};
    const timing_subject against = {launch_baseline, prepare_baseline, &other};
    return timing_run(options, &subject, p->has_baseline ? &against : NULL, monitor, result);
}

int problem_fetch_timed(problem *p, const gemm_kernel *kernel, char *why, size_t why_size) {
    if (kernel->unit == GEMM_UNIT_HOST)
        return 1;
    /* With beta != 0 the old C went through many launches, and what is in C now tells nothing: one more launch does. */
    return p->pristine ? problem_run(p, kernel, why, why_size) : collect(p, why, why_size);
}

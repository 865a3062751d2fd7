#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { BURST_LAUNCHES = 8, MAX_LAUNCHES = 100000 };
static const double BURST_REST_S = 0.020, BURST_LEAD_S = 0.001,
                    BURST_GROUP_S = 0.050; /* a group of slow launches is cut to about 50 ms */
static const double SUSTAINED_GROUP_S = 0.100, SUSTAINED_LEAD_S = 0.100, SUSTAINED_WARMUP_S = 0.8;

typedef struct {
    cudaStream_t stream;
    cudaEvent_t start, stop;
    gpu_monitor *monitor;
} clockwork;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void rest(double seconds) {
    struct timespec t = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&t, NULL);
}

static cudaError_t launch_many(const timing_subject *s, int count, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < count && error == cudaSuccess; i++)
        error = s->launch(s->context, stream);
    return error;
}

/* One group: `lead` launches that only set the scene, then `count` between two events. Seconds of one launch. */
static cudaError_t time_group(const clockwork *c, const timing_subject *s, int lead, int count, double *seconds) {
    float milliseconds = 0.0f;
    cudaError_t error = s->prepare(s->context, c->stream);
    if (error == cudaSuccess)
        error = launch_many(s, lead, c->stream);
    if (error == cudaSuccess)
        error = cudaEventRecord(c->start, c->stream);
    if (error == cudaSuccess)
        error = launch_many(s, count, c->stream);
    if (error == cudaSuccess)
        error = cudaEventRecord(c->stop, c->stream);
    if (error == cudaSuccess && c->monitor) {
        error = cudaEventSynchronize(c->start); /* the lead is over: what is read now is of the timed launches */
        gpu_monitor_sample(c->monitor);
    }
    if (error == cudaSuccess)
        error = cudaEventSynchronize(c->stop);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, c->start, c->stop);
    *seconds = milliseconds / 1000.0 / count;
    return error;
}

static int launches_for(double seconds, double one) {
    const double n = one > 0.0 ? seconds / one : MAX_LAUNCHES;
    return n < 1.0 ? 1 : n > MAX_LAUNCHES ? MAX_LAUNCHES : (int)n;
}

typedef struct {
    const timing_subject *subject;
    int lead, count;
} group;

/* Warms up and settles how many launches make a group. */
static cudaError_t plan(const clockwork *c, const timing_options *o, const timing_subject *s, group *g) {
    clockwork unwatched = *c;
    unwatched.monitor = NULL;
    double one = 0.0;
    cudaError_t error = time_group(&unwatched, s, o->warmup, 1, &one);
    g->subject = s;
    if (o->protocol == PROTOCOL_BURST) {
        g->lead = launches_for(BURST_LEAD_S, one);
        g->count = launches_for(BURST_GROUP_S, one);
        g->count = g->count < BURST_LAUNCHES ? g->count : BURST_LAUNCHES;
    } else {
        g->lead = launches_for(SUSTAINED_LEAD_S, one);
        g->count = launches_for(SUSTAINED_GROUP_S, one);
    }
    return error;
}

static cudaError_t sample(const clockwork *c, const timing_options *o, const group *g, int watched, double *seconds) {
    clockwork quiet = *c;
    if (!watched)
        quiet.monitor = NULL;
    if (o->protocol == PROTOCOL_BURST)
        rest(BURST_REST_S);
    return time_group(&quiet, g->subject, g->lead, g->count, seconds);
}

static cudaError_t heat(const clockwork *c, const timing_options *o, const group *groups, int group_count) {
    const double end = now() + SUSTAINED_WARMUP_S;
    cudaError_t error = cudaSuccess;
    double ignored;
    while (error == cudaSuccess && now() < end)
        for (int i = 0; i < group_count && error == cudaSuccess; i++)
            error = sample(c, o, &groups[i], 0, &ignored);
    return error;
}

static cudaError_t run_groups(const clockwork *c, const timing_options *o, const timing_subject *subject,
                              const timing_subject *baseline, double *own, double *other) {
    group groups[2];
    const int group_count = baseline ? 2 : 1;
    cudaError_t error = plan(c, o, subject, &groups[0]);
    if (error == cudaSuccess && baseline)
        error = plan(c, o, baseline, &groups[1]);
    if (error == cudaSuccess && o->protocol == PROTOCOL_SUSTAINED)
        error = heat(c, o, groups, group_count);
    gpu_monitor_reset(c->monitor);
    for (int i = 0; i < o->samples && error == cudaSuccess; i++)
        for (int turn = 0; turn < group_count && error == cudaSuccess; turn++) {
            const int which = group_count == 2 ? (i + turn) % 2 : 0;
            error = sample(c, o, &groups[which], which == 0, which == 0 ? &own[i] : &other[i]);
        }
    return error;
}

static stats_interval scaled(stats_interval s, double by) {
    return (stats_interval){s.median * by, s.low * by, s.high * by};
}

static void summarise(const timing_options *o, double *own, double *other, timing_result *result) {
    const stats_interval unknown = {NAN, NAN, NAN};
    result->samples = o->samples;
    result->baseline_us = result->ratio = unknown;
    if (other) {
        double *ratio = malloc(sizeof(double) * (size_t)o->samples);
        if (ratio) {
            for (int i = 0; i < o->samples; i++)
                ratio[i] = other[i] / own[i];
            result->ratio = stats_median(ratio, o->samples);
        }
        free(ratio);
        result->baseline_us = scaled(stats_median(other, o->samples), 1e6);
    }
    result->time_us = scaled(stats_median(own, o->samples), 1e6);
}

cudaError_t timing_run(const timing_options *options, const timing_subject *subject, const timing_subject *baseline,
                       gpu_monitor *monitor, timing_result *result) {
    clockwork c = {.monitor = monitor};
    double *own = malloc(sizeof(double) * (size_t)options->samples);
    double *other = malloc(sizeof(double) * (size_t)options->samples);
    cudaError_t error = own && other ? cudaStreamCreate(&c.stream) : cudaErrorMemoryAllocation;
    if (error == cudaSuccess)
        error = cudaEventCreate(&c.start);
    if (error == cudaSuccess)
        error = cudaEventCreate(&c.stop);
    if (error == cudaSuccess)
        error = run_groups(&c, options, subject, baseline, own, other);
    if (error == cudaSuccess) {
        summarise(options, own, baseline ? other : NULL, result);
        result->readings = gpu_monitor_mean(monitor);
    }
    if (c.stop)
        cudaEventDestroy(c.stop);
    if (c.start)
        cudaEventDestroy(c.start);
    if (c.stream)
        cudaStreamDestroy(c.stream);
    free(own);
    free(other);
    return error;
}

cudaError_t timing_run_host(const timing_subject *subject, timing_result *result) {
    const double start = now();
    const cudaError_t error = subject->launch(subject->context, NULL);
    const double time_us = (now() - start) * 1e6;
    *result = (timing_result){.samples = 1,
                              .time_us = {time_us, time_us, time_us},
                              .baseline_us = {NAN, NAN, NAN},
                              .ratio = {NAN, NAN, NAN},
                              .readings = {NAN, NAN, NAN}};
    return error;
}

/* How fast: two protocols, each pairing the kernel with a baseline in one process.
 *
 * Burst: groups of 8 launches (fewer when they are slow: about 50 ms), each after a rest of 20 ms, so that the chip
 * stays near its top clock. About 1 ms of launches before the timed ones wake it from the rest and fill the queue.
 *
 * Sustained: groups of a fifth of a second back to back, after 0.8 s of the same as warm-up, so that the chip settles
 * where its power limit lets it. The first half of each group is not timed: the power limiter remembers about a tenth
 * of a second, and until then a modest kernel pays for the hungry baseline before it.
 *
 * A sample is one group's time divided by its launches, between two events in the kernel's stream. Kernel and baseline
 * take turns, and the one that starts alternates, so that drift hits both alike; the ratio is the median of the
 * samples' own ratios. The L2 cache is hot: launches of a group follow each other on the same operands. What the
 * protocols owe to experiments is in plots/data/notes/log.md.
 */
#ifndef TIMING_H
#define TIMING_H

#include "gpu.h"
#include "stats.h"

typedef enum { PROTOCOL_BURST, PROTOCOL_SUSTAINED } timing_protocol;

/* One thing to time. `launch` enqueues once on the stream; `prepare` restores its operands before each group, outside
 * the timed span. */
typedef struct {
    cudaError_t (*launch)(void *context, cudaStream_t stream);
    cudaError_t (*prepare)(void *context, cudaStream_t stream);
    void *context;
} timing_subject;

typedef struct {
    timing_protocol protocol;
    int warmup;  /* launches before anything is timed, >= 1 */
    int samples; /* groups, >= 1 */
} timing_options;

typedef struct {
    int samples;
    stats_interval time_us, baseline_us; /* of one launch */
    stats_interval ratio;                /* baseline time / time */
    gpu_readings readings;               /* while the kernel ran */
} timing_result;

/* Times `subject` and, when not NULL, `baseline`; without one baseline_us and ratio are NAN. Returns the first CUDA
 * error, and then no times are valid. */
cudaError_t timing_run(const timing_options *options, const timing_subject *subject, const timing_subject *baseline,
                       gpu_monitor *monitor, timing_result *result);

/* Times one call that has finished when it returns (the single CPU thread, already warm from its check), by the
 * monotonic clock: it takes seconds, and hardly varies. */
cudaError_t timing_run_host(const timing_subject *subject, timing_result *result);

#endif

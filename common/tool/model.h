/* A speed-of-light model: from what a kernel asks for (counted on the CPU device) to the time that a GPU needs at
 * least.
 *
 * Each resource has a rate, and a kernel keeps it busy for (what it asks for) / rate. Where other blocks of the
 * multiprocessor can go on while one waits at a barrier, these times overlap, and the longest of them binds. Where a
 * multiprocessor holds one block only, fetching (L2, DRAM) and computing (tensor cores, FP32, issue, L1) take turns,
 * and add up, unless the kernel fetches by cp.async, which may run ahead. Latencies, instructions that are neither
 * arithmetic nor memory access, and cache misses beyond the first are left out, so a real kernel is slower. */
#ifndef TOOL_MODEL_H
#define TOOL_MODEL_H

#include "counts_file.h"

#include <stdbool.h>

/* Rates are for a multiprocessor and a clock unless said otherwise. NAN: not published, and left out of the model. */
typedef struct gpu_model {
    const char *name;         /* for --gpu-model */
    const char *title, *slug; /* slug: of its record in plots/data */
    const char *architecture; /* for nvcc */
    double multiprocessors, clock_mhz;
    double fp32_lanes; /* multiply-adds */
    /* Tensor cores of the whole GPU, TFLOP/s without sparsity: f16 and bf16 with sums in float, TF32. ceiling: what a
     * loop of mma.sync alone reached on such a card; NAN where nobody measured. */
    double tensor_tflops, tf32_tflops, mma_ceiling_tflops;
    double memory_requests;                                      /* warps that enter the load/store unit */
    double l2_bytes_per_clock;                                   /* of the whole GPU */
    double dram_gb_per_s;                                        /* of the whole GPU */
    double shared_bytes, reserved_shared_bytes, threads, blocks; /* that it can hold */
    const char *source;
} gpu_model;

/* NULL with a sentence that names those there are. */
const gpu_model *gpu_model_find(const char *name, fault *f);

typedef enum {
    LIMIT_TENSOR,
    LIMIT_FP32,
    LIMIT_ISSUE,
    LIMIT_L1,
    LIMIT_REQUESTS,
    LIMIT_L2,
    LIMIT_DRAM,
    LIMIT_COUNT
} model_limit;

/* "FP32", "L1 wavefronts" and the like. */
const char *model_limit_name(model_limit limit);

/* What the compiler for the GPU decided; NAN where nobody knows. */
typedef struct compiled_kernel {
    double registers;                 /* a thread */
    double local_loads, local_stores; /* requests of the whole launch, for spilled registers */
} compiled_kernel;

typedef struct model_result {
    double seconds[LIMIT_COUNT]; /* NAN: the rate is not known */
    model_limit limit;
    double total_seconds;   /* NAN: a block does not fit a multiprocessor */
    double resident_blocks; /* on a multiprocessor */
    double occupancy;       /* 0..1 of its threads; an upper bound while registers are not known */
    bool overlaps;
    double peak_flops; /* a second, of the tensor cores where the kernel uses them, else FP32 */
    double
        mma_ceiling_seconds; /* of the tensor cores, at what mma.sync was seen to reach; NAN: not known, or not used */
} model_result;

/* Bytes that one launch moves, by its counts. */
typedef struct model_traffic {
    /* Through L1 and shared memory: 128 for each wavefront and each line of L1. cp.async counts by what it copies: its
     * wavefronts are not taken from those of the others (plots/data/notes/log.md, "what binds 06"). */
    double l1_bytes;
    double l2_bytes; /* asked of L2: 32 for each sector that a block fetches through L1, or a copy past it */
} model_traffic;

model_traffic model_traffic_of(const count_list *list, const count_row *launch);

/* The model of one launch of `list`, whose counts are multiplied by `scale`^3 (those of memory traffic between a whole
 * launch and DRAM by its square): a product counted small and asked about large. */
model_result model_launch(const gpu_model *gpu, const count_list *list, const count_row *launch, double scale,
                          const compiled_kernel *compiled);

#endif

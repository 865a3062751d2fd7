/*
 * What a profiler would say of a kernel: counted while it runs on the CPU device, exactly, for every warp. Callable
 * from C and C++.
 *
 * A request is one access of one warp. Threads run one after the other here, so requests are put together afterwards:
 * the n-th time since the last barrier that the lanes of a warp pass one place in the machine code is one request.
 */
#ifndef CPU_DEVICE_COUNTERS_H
#define CPU_DEVICE_COUNTERS_H

#include "../cuda_runtime_api.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Half-precision operations are made of float ones here, which the profiler's counters must not take for the kernel's:
// they count basic blocks, and these functions have none that are counted.
#if defined(__clang__)
#define CPU_DEVICE_UNCOUNTED __attribute__((noinline, no_sanitize("thread", "coverage")))
#elif __GNUC__ >= 12
#define CPU_DEVICE_UNCOUNTED __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#else
#define CPU_DEVICE_UNCOUNTED __attribute__((noinline, no_sanitize("thread"))) /* g++ 11 counts their arithmetic */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* TENSOR is no memory: the mma instructions of a line, whose requests are instructions of warps. */
enum cpu_device_space { CPU_DEVICE_SHARED, CPU_DEVICE_GLOBAL, CPU_DEVICE_CONSTANT, CPU_DEVICE_TENSOR };
/* ASYNC: cp.async, as far as shared memory is concerned. The load from global memory is a load; one of 16 bytes goes
   past L1 and looks up no cache line. */
enum cpu_device_operation { CPU_DEVICE_LOAD, CPU_DEVICE_STORE, CPU_DEVICE_ATOMIC, CPU_DEVICE_ASYNC };

/* All accesses of one kind by one source line. */
struct cpu_device_access_counts {
    const char *file; /* base name; "?" when not known */
    unsigned line;
    enum cpu_device_space space;
    enum cpu_device_operation operation;
    uint64_t requests, lanes, bytes; /* lanes and the bytes they asked for are summed over the requests */
    uint64_t wavefronts;             /* shared memory; those beyond conflict_free are bank conflicts */
    uint64_t conflict_free;
    uint64_t matrix_requests, matrix_wavefronts; /* what of these is ldmatrix */
    uint64_t sectors, cache_lines;               /* global memory: 32 and 128 bytes */
    uint64_t l2_sectors;                         /* that copies past L1 ask for, each time */
    uint64_t tensor_flops;
};

/* All launches of one kernel with one grid under one label. */
struct cpu_device_counts {
    const char *label;     /* as given to cpu_device_count_launches */
    const char *function;  /* symbol name, or as the launch spells it */
    const char *arguments; /* "" where the symbol is known, else the types of the arguments: "(float*, int)" */
    uint3 grid, block;
    uint64_t launches, failed_launches;   /* what a failed one did until then is counted */
    size_t static_shared, dynamic_shared; /* bytes a block; static: the arrays that the kernel touched */
    uint64_t barriers;                    /* of all blocks */
    uint64_t flops, double_flops;         /* a fused multiply-add is two */
    uint64_t half_flops;
    uint64_t tensor_flops;           /* of mma instructions */
    bool flops_known, flops_certain; /* known: objdump was there; certain: no branch that the counters cannot see */
    /* Distinct sectors of global memory, summed over the blocks (without those of copies past L1: see l2_sectors), and
       over each launch as a whole: what has to come from L2 and from DRAM even if every cache were perfect. */
    uint64_t block_sectors, launch_sectors;
    const struct cpu_device_access_counts *accesses; /* by file, line, space, operation */
    size_t access_count;
};

/* From now on launches are counted under `label` (copied), or not at all when it is NULL. The environment variable
   CPU_DEVICE_COUNTS=FILE counts all launches of a program from the start and writes them to FILE when it ends. */
void cpu_device_count_launches(const char *label);

/* What has been counted so far, in order of first launches. Valid until the next launch, and until
   cpu_device_forget_counts. */
const struct cpu_device_counts *cpu_device_get_counts(size_t *count);
void cpu_device_forget_counts(void);

/* Prints rows "<prefix>,source,line,counter,value"; with `counts` NULL only the names of the columns. */
void cpu_device_print_counts(FILE *out, const char *prefix, const struct cpu_device_counts *counts);

/* Called from kernels: operations on half-precision numbers, and atomic operations, in the place where they stand. */
void cpu_device_note_half_flops(unsigned operations);
void cpu_device_note_atomic(const volatile void *address, unsigned size);

#ifdef __cplusplus
}
#endif

#endif

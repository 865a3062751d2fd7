/* Counting, as the scheduler sees it: see cpu_device/counters.h for what comes out. */
#ifndef CPU_DEVICE_COUNT_H
#define CPU_DEVICE_COUNT_H

#include "cpu_device/block.h"
#include "cpu_device/counters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One access of one lane, as the hooks write it down. */
struct log_entry {
    uint64_t address;
    uint64_t key; /* return address in the program << 8 | operation << 4 | log2(size) */
};

/* Where the hooks write: the log of the lane that runs. `next` is NULL while nothing is counted. */
struct log_cursor {
    struct log_entry *next, *end;
    uintptr_t stacks, stacks_size; /* accesses in there are a thread's own */
    uint64_t *blocks_run;          /* lanes that ran the basic block with that return address */
    uintptr_t program_base;
    bool checked; /* each access is looked at, too (check.c) */
};
extern _Thread_local struct log_cursor cpu_device_log;

/* An asynchronous copy is two entries side by side: where to, and where from (0: from nowhere, the place is filled with
   zeros). */
enum { LOG_ENTRIES_OF_COPY = 2 };

/* In the place of log2(size): ldmatrix of 1, 2 or 4 matrices, of which each lane gives one row of 16 bytes. */
enum { LOG_LDMATRIX_1 = 5, LOG_LDMATRIX_2, LOG_LDMATRIX_4 };

/* Of the tensor-core instructions (tensor.c), by each lane: what the warp does. */
void cpu_device_note_ldmatrix(const void *row, unsigned matrices, const void *place);
void cpu_device_note_mma(unsigned operations, const void *place);

/* Of cp.async: when it is asked for, and when it arrives in shared memory. */
void cpu_device_note_async(const void *to, const void *from, unsigned size, unsigned source_size, const void *place);
void cpu_device_note_landing(const void *to, unsigned size, const void *place);

/* ---- One launch ---- */

struct tally;

/* The tally that a launch adds to, or NULL when launches are neither counted nor `needed` to be, or memory ran out. */
struct tally *count_begin_launch(const struct cpu_device_launch_config *config, bool needed);

/* ---- One OS thread ---- */

/* Around the blocks that this OS thread runs. stacks: where the stacks of the block's threads lie. False: no memory. */
bool count_begin_thread(const void *stacks, size_t stacks_size, bool checked);
void count_end_thread(struct tally *tally);

void count_begin_block(void);
void count_barrier(void);

/* Around every run of a lane. */
void count_enter_lane(unsigned lane);
void count_leave_lane(unsigned lane);

/* When no lane of a warp can go on: what its lanes have logged becomes requests. */
void count_flush_warp(void);

/* What the hooks call when a lane's log is full: suspends the lane until its warp has been flushed (scheduler.c). */
void cpu_device_log_is_full(void);

#endif

/*
 * How a block runs. Each OS thread owns one `struct block` and works through the blocks of a grid in it, one at a time.
 * The CUDA threads of a block are fibers on that OS thread; they never move to another, so shared memory is
 * thread-local.
 *
 * A thread runs until it has to wait. A thread that never waits costs no switch of its own: the fiber that finished one
 * thread goes on to the next. Warps run one after the other, in ascending or descending order, each until none of its
 * threads can go on. That makes a block deterministic.
 */
#ifndef CPU_DEVICE_SCHEDULER_H
#define CPU_DEVICE_SCHEDULER_H

#include "cpu_device/block.h"
#include "device.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MAX_WARPS (MAX_THREADS_PER_BLOCK / WARP_SIZE)

/* One launch, shared by the OS threads that work on it. */
struct grid {
    const struct cpu_device_launch_config *config;
    void (*run_thread)(void *argument);
    void *argument;
    bool descending;     /* order of warps and of lanes in them */
    struct tally *tally; /* NULL: not counted */
    bool checked;        /* then it is counted, too */
    uint64_t block_count;
    _Atomic uint64_t next_block;
    atomic_bool failed;
    /* What the launch returns when it failed, or when threads of it were ended. */
    _Atomic(cudaError_t) error;
    atomic_bool refused; /* it should not have begun: the error is not sticky */
};

struct fiber {
    void *stack_pointer;
    struct fiber *next_idle;
};

struct cuda_thread {
    uint3 index;
    uint16_t warp, lane;
    struct fiber *fiber; /* NULL until the thread has started */
    void *payload;       /* what it brought to the warp collective it waits in */
    const void *place;   /* return address of the barrier or warp function that it called last */
};

/* Lanes of a warp that come together for one collective. */
struct meeting {
    unsigned mask, arrived;
    cpu_device_warp_function function;
};

/* Bit i of each mask is lane i. A lane that is in none of the masks waits in a meeting. */
struct warp {
    unsigned runnable, at_barrier, exited;
    unsigned log_full;      /* waits until its accesses have been counted */
    unsigned open_meetings; /* bit i: meetings[i] is in use */
    struct meeting meetings[WARP_SIZE];
};

struct block {
    struct grid *grid;
    uint64_t number;
    uint3 index;                 /* the same by dimension */
    struct cuda_thread *current; /* NULL while the scheduler itself runs */
    bool failed;
    struct {
        int signal, code; /* signal 0: none has been met */
        const void *address, *program_counter;
    } fault;

    unsigned thread_count, warp_count;
    unsigned live; /* threads that have not exited */
    struct {
        unsigned arrived, nonzero;                   /* the barrier that is filling */
        unsigned released_arrived, released_nonzero; /* the last one that was complete */
    } barrier;

    void *scheduler_stack_pointer;
    char *stacks;
    size_t stack_size, guard_size; /* of a thread: the stack with its guard, and the inaccessible page at its low end */
    unsigned fiber_count;          /* fibers that have been prepared */
    struct fiber *idle_fibers;

    struct warp warps[MAX_WARPS];
    struct cuda_thread threads[MAX_THREADS_PER_BLOCK];
    struct fiber fibers[MAX_THREADS_PER_BLOCK];
};

/* The block of the calling OS thread, or NULL when it has never run one. */
struct block *cpu_device_current_block(void);

/* Takes blocks of `grid` until none is left or one has failed. */
void cpu_device_run_blocks(struct grid *grid);

/* Suspends the current thread, which the caller has taken out of `runnable`, until something makes it runnable again.
 */
void cpu_device_suspend(struct block *block);

/* Ends the current thread here, as if it had returned; the launch will return `error`. */
_Noreturn void cpu_device_end_thread(cudaError_t error);

/* Stops the launch with `error` and prints "CPU device: kernel k, block (x, y, z): <sentence>" to stderr. */
__attribute__((format(printf, 3, 4))) void cpu_device_fail_block(struct block *block, cudaError_t error,
                                                                 const char *format, ...);

/* Waits for the lanes in `mask`, as cpu_device_warp_collective; place: where the kernel called. */
void cpu_device_meet(unsigned mask, cpu_device_warp_function function, void *payload, const void *place);

/* Completes the meetings of a warp that only waited for lanes which have exited by now (warp.c). */
void cpu_device_settle_meetings(struct block *block, unsigned warp);

/* Where the dynamic shared window lies in the program's thread-local data. */
size_t cpu_device_shared_window(void);

/* The upper end of the current thread's stack. */
char *cpu_device_stack_top(const struct block *block);

/* True when `address` lies in the inaccessible page below one of the block's stacks. */
bool cpu_device_is_stack_guard(const struct block *block, const void *address);

#endif

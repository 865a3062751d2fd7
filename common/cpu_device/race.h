/*
 * What the threads of one block do to shared memory between two barriers. Each thread writes down its accesses while it
 * runs; at the barrier they are gone through in the order of thread numbers, whatever the order they ran in, and
 * compared cell by cell. So what is found does not depend on how the scheduler arranges warps.
 */
#ifndef CPU_DEVICE_RACE_H
#define CPU_DEVICE_RACE_H

#include "program.h"
#include "scheduler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One access of one thread: see race_log. */
typedef uint64_t race_entry;

/* Offsets into thread-local data and return addresses in the program that an entry has room for. */
#define RACE_MAX_SHARED ((size_t)1 << 22)
#define RACE_MAX_PROGRAM ((size_t)1 << 30)

/* Accesses of a block between two barriers that are kept: 32 MiB. Each thread has its share. */
#define RACE_LOG_ENTRIES ((size_t)1 << 22)
/* Between the logs of two threads: a power of two apart, they would compete for the same lines of the cache. 72 entries
   are 9 lines. */
#define RACE_LOG_GAP ((size_t)72)

struct race_log {
    race_entry *entries;
    uint32_t room; /* entries of a thread */
    uint32_t used[MAX_THREADS_PER_BLOCK];
    bool overflowed; /* in this block */
};

/* Around the blocks of a launch that the calling OS thread runs. shared_size: bytes of thread-local data; threads: of a
   block. False when memory ran out. */
bool race_begin_thread(size_t shared_size, unsigned threads);
void race_end_thread(void);
struct race_log *race_thread_log(void);

void race_begin_block(const struct block *block);

/* The lanes in `lanes` of the warp have met in __syncwarp: what each did before is ordered before what each does after.
 */
void race_sync_warp(unsigned warp, uint32_t lanes);

/* Names for what lies in shared memory. */
struct race_names {
    /* Writes the element at an offset, accessed by `size` bytes. */
    void (*describe)(size_t offset, unsigned size, char *text, size_t text_size);
    /* Whether an access of `size` bytes may cover padding, as that of a whole structure does, which nobody writes. */
    bool (*may_hold_padding)(size_t offset, unsigned size);
};

/* Tells of races, and of reads of what was not written before, and begins the next interval. */
void race_end_interval(const struct block *block, const struct race_names *names);

/* Begins the next interval and tells nothing of this one. */
void race_drop_interval(const struct block *block);

static inline race_entry race_make_entry(size_t offset, uint32_t site, unsigned operation, unsigned log2_size) {
    return (uint64_t)operation << 55 | (uint64_t)log2_size << 52 | (uint64_t)site << 22 | offset;
}

/* The arrival of an asynchronous copy. */
static inline race_entry race_make_landing(size_t offset, uint32_t site, unsigned log2_size) {
    return race_make_entry(offset, site, 1, log2_size) | (UINT64_C(1) << 57);
}

static inline race_entry *race_thread_entries(const struct race_log *log, unsigned thread) {
    return log->entries + (log->room + RACE_LOG_GAP) * thread;
}

/* Adds an access of a thread, as long as there is room. */
static inline void race_add(struct race_log *log, unsigned thread, race_entry entry) {
    if (log->used[thread] == log->room)
        log->overflowed = true;
    else
        race_thread_entries(log, thread)[log->used[thread]++] = entry;
}

#endif

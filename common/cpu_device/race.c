#define _GNU_SOURCE
#include "race.h"

#include "cpu_device/counters.h"
#include "finding.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- Entries ---- */

/* The thread has met others in __syncwarp; the low bits count its warp's meetings. */
#define MARKER (UINT64_C(1) << 63)

static bool is_marker(race_entry e) { return e & MARKER; }
static bool is_landing(race_entry e) { return e >> 57 & 1; }
static size_t offset_of(race_entry e) { return e & (RACE_MAX_SHARED - 1); }
static uint32_t site_of(race_entry e) { return (uint32_t)(e >> 22) & (RACE_MAX_PROGRAM - 1); }
static unsigned size_of(race_entry e) { return 1u << (e >> 52 & 7); }
static unsigned operation_of(race_entry e) { return (unsigned)(e >> 55 & 3); }

/* ---- Cells ---- */

enum { NOBODY = UINT16_MAX, LAST_CLOCK = UINT16_MAX };

/* Who touched four bytes of shared memory, or one byte: the last writer, the last atomic one before it, and two
   readers, of different warps where there are such. A time is an interval between barriers; a clock counts the meetings
   of a warp in it. */
struct cell {
    uint32_t written, read; /* in which interval; 0: never */
    uint32_t split;         /* the interval in which the bytes of these four went separate ways */
    uint32_t write_position, read_position, other_position; /* in the log of that thread */
    uint16_t writer, reader, other;
    uint16_t write_clock, read_clock, other_clock;
    uint32_t more;    /* 1 + index of a further reader; 0: there is none */
    uint32_t updated; /* the interval of the atomic writer before the last, which was atomic too */
    uint32_t update_position;
    uint16_t updater, update_clock;
    uint32_t asked; /* the interval in which an asynchronous copy to here was asked for; or 0 */
    uint32_t asked_site;
    bool arrived; /* that copy */
};

/* Readers of a cell beside those two, where not all lanes of their warp met: then two are not enough. */
struct reader {
    uint32_t position, next;
    uint16_t thread, clock;
};

/* A read of a cell that was not written by then. It may be that another thread writes it before the next barrier. */
struct candidate {
    const struct cell *cell;
    race_entry entry;
    uint16_t thread, clock;
    bool is_early; /* rather: an access while an asynchronous copy was on its way */
};

/* The meetings of a warp in this interval. */
struct warp_history {
    uint32_t *meetings; /* lanes of each, in order; the first is number 1 */
    uint32_t count, room;
    bool partial; /* some of its lanes were left out of one */
};

struct recorder {
    struct race_log log;
    struct cell *cells, *byte_cells;
    size_t words; /* of shared memory, each with a cell */
    uint32_t interval, first_of_block, order;
    struct candidate *candidates;
    size_t candidate_count, candidate_room;
    struct reader *readers;
    uint32_t reader_count, reader_room;
    struct warp_history warps[MAX_WARPS];
    const struct block *block;
    const struct race_names *names;
};

static _Thread_local struct recorder *own;

static size_t log_bytes(void) { return (RACE_LOG_ENTRIES + RACE_LOG_GAP * MAX_THREADS_PER_BLOCK) * sizeof(race_entry); }

static bool create_recorder(size_t shared_size) {
    struct recorder *r = calloc(1, sizeof *r);
    if (!r)
        return false;
    const size_t words = shared_size / 4 + 1;
    r->log.entries = cpu_device_reserve(log_bytes());
    r->words = words;
    r->cells = cpu_device_reserve(words * sizeof *r->cells);
    r->byte_cells = cpu_device_reserve(4 * words * sizeof *r->byte_cells);
    /* Once in the life of an OS thread; without memory the program is about to end anyway. */
    if (!r->log.entries || !r->cells || !r->byte_cells)
        return false;
    own = r;
    return true;
}

bool race_begin_thread(size_t shared_size, unsigned threads) {
    if (!own && !create_recorder(shared_size))
        return false;
    own->log.room = (uint32_t)(RACE_LOG_ENTRIES / threads);
    return true;
}

/* The pages of the logs go back to the system. */
void race_end_thread(void) { madvise(own->log.entries, log_bytes(), MADV_DONTNEED); }

struct race_log *race_thread_log(void) {
    return &own->log;
}

/* ---- Telling ---- */

/* One thread's access to a cell. */
struct access {
    race_entry entry;
    uint32_t position;
    uint16_t thread, clock;
};

static race_entry entry_at(const struct recorder *r, unsigned thread, uint32_t position) {
    return race_thread_entries(&r->log, thread)[position];
}

static void tell_race(const struct recorder *r, const struct access *first, const struct access *second,
                      size_t offset) {
    char place[160];
    r->names->describe(offset, size_of(first->entry), place, sizeof place);
    const uint3 b = r->block->index, t = r->block->threads[first->thread].index,
                u = r->block->threads[second->thread].index;
    const bool one_warp = r->block->thread_count <= WARP_SIZE;
    const bool both_write =
        operation_of(first->entry) != CPU_DEVICE_LOAD && operation_of(second->entry) != CPU_DEVICE_LOAD;
    const char *advice =
        both_write ? "Only one of them may write it, or a barrier belongs {between}."
        : operation_of(first->entry) == CPU_DEVICE_LOAD
            ? "A __syncthreads() that all threads pass is missing {between}: nobody may overwrite before "
              "everybody has read."
            : "A __syncthreads() that all threads pass is missing {between}: nobody may read before everybody "
              "has written.";
    finding_tell(
        "In block (%u, %u, %u), thread (%u, %u, %u) %s %s at {1}, and thread (%u, %u, %u) %s it at {2}, with no "
        "barrier between them. %s%s",
        b.x, b.y, b.z, t.x, t.y, t.z, finding_verb(operation_of(first->entry)), place, u.x, u.y, u.z,
        finding_verb(operation_of(second->entry)), advice,
        one_warp ? " (The block is one warp: __syncwarp() does, too.)" : "");
}

/* The access that a thread reaches earlier in its own course is told first: the barrier belongs after it. */
static void note_race(struct recorder *r, struct access a, struct access b) {
    const bool swap = b.position != a.position ? b.position < a.position : site_of(b.entry) < site_of(a.entry);
    const struct access *first = swap ? &b : &a, *second = swap ? &a : &b;
    const struct finding_hit hit = {
        .kind = FINDING_RACE,
        .site = site_of(first->entry),
        .other_site = site_of(second->entry),
        .block = r->block->number,
        .order = r->order++,
    };
    if (!finding_note(&hit))
        return;
    const size_t from = offset_of(a.entry), other = offset_of(b.entry);
    tell_race(r, first, second, from > other ? from : other); /* both reach that byte, or almost */
}

/* ---- Order inside a warp ---- */

/* Whether what the first lane did with its clock comes before what the second one did: a chain of meetings leads from
   the one to the other. first_clock <= second_clock. */
static bool is_ordered(const struct warp_history *w, unsigned first_lane, unsigned first_clock, unsigned second_lane,
                       unsigned second_clock) {
    if (first_clock == LAST_CLOCK)
        return true; /* too many meetings to tell */
    if (!w->partial)
        return first_clock < second_clock;
    uint32_t reached = 1u << first_lane;
    for (unsigned m = first_clock + 1; m <= second_clock; m++)
        if (w->meetings[m - 1] & reached)
            reached |= w->meetings[m - 1];
    return reached >> second_lane & 1;
}

static bool is_before(const struct recorder *r, unsigned thread, unsigned clock, const struct access *a) {
    const unsigned warp = a->thread / WARP_SIZE;
    return thread / WARP_SIZE == warp &&
           is_ordered(&r->warps[warp], thread % WARP_SIZE, clock, a->thread % WARP_SIZE, a->clock);
}

void race_sync_warp(unsigned warp, uint32_t lanes) {
    struct recorder *r = own;
    struct warp_history *w = &r->warps[warp];
    if (w->count == w->room) {
        const uint32_t room = w->room ? 2 * w->room : 64;
        uint32_t *longer = realloc(w->meetings, room * sizeof *longer);
        if (!longer)
            return;
        w->meetings = longer;
        w->room = room;
    }
    if (w->count < LAST_CLOCK)
        w->meetings[w->count++] = lanes;
    const unsigned threads_from_here = r->block->thread_count - warp * WARP_SIZE;
    const uint32_t present = threads_from_here >= WARP_SIZE ? UINT32_MAX : (1u << threads_from_here) - 1;
    w->partial |= lanes != present;
    for (uint32_t left = lanes; left; left &= left - 1)
        race_add(&r->log, warp * WARP_SIZE + (unsigned)__builtin_ctz(left), MARKER | w->count);
}

/* ---- One access to one cell ---- */

/* An access while a copy from before the last barrier may still be on its way. */
static void note_early(struct recorder *r, const struct cell *cell, race_entry entry, unsigned thread) {
    const struct finding_hit hit = {.kind = FINDING_MISSING_WAIT,
                                    .site = site_of(entry),
                                    .other_site = cell->asked_site,
                                    .block = r->block->number,
                                    .order = r->order++};
    if (!finding_note(&hit))
        return;
    char place[160];
    r->names->describe(offset_of(entry), size_of(entry), place, sizeof place);
    const uint3 b = r->block->index, t = r->block->threads[thread].index;
    finding_tell(
        "In block (%u, %u, %u), thread (%u, %u, %u) %s %s at {1}, while the asynchronous copy to it that was asked for "
        "at {2} may still be on its way. Commit the group, wait for it (cp.async.wait_group), and let a barrier follow "
        "before other threads look.",
        b.x, b.y, b.z, t.x, t.y, t.z, finding_verb(operation_of(entry)), place);
}

static void meet(struct recorder *r, const struct cell *cell, unsigned thread, unsigned clock, uint32_t position,
                 const struct access *a) {
    if (thread == a->thread || is_before(r, thread, clock, a))
        return;
    const struct access earlier = {entry_at(r, thread, position), position, (uint16_t)thread, (uint16_t)clock};
    const bool is_old_copy = cell->asked >= r->first_of_block && cell->asked < r->interval;
    if (operation_of(earlier.entry) == CPU_DEVICE_ATOMIC && operation_of(a->entry) == CPU_DEVICE_ATOMIC)
        return;
    if (is_old_copy && is_landing(a->entry))
        note_early(r, cell, earlier.entry, thread);
    else if (is_old_copy && is_landing(earlier.entry))
        note_early(r, cell, a->entry, a->thread);
    else
        note_race(r, earlier, *a);
}

static void add_candidate(struct recorder *r, const struct cell *cell, const struct access *a, bool is_early) {
    if (r->candidate_count == r->candidate_room) {
        const size_t room = r->candidate_room ? 2 * r->candidate_room : 256;
        struct candidate *longer = realloc(r->candidates, room * sizeof *longer);
        if (!longer)
            return;
        r->candidates = longer;
        r->candidate_room = room;
    }
    r->candidates[r->candidate_count++] = (struct candidate){cell, a->entry, a->thread, a->clock, is_early};
}

static void set_reader(struct cell *cell, const struct access *a) {
    cell->reader = a->thread;
    cell->read_clock = a->clock;
    cell->read_position = a->position;
}

static void set_other(struct cell *cell, const struct access *a) {
    cell->other = a->thread;
    cell->other_clock = a->clock;
    cell->other_position = a->position;
}

/* In front of the others, so that the latest clock of a thread is met first. */
static void add_more(struct recorder *r, struct cell *cell, const struct access *a) {
    if (cell->more && r->readers[cell->more - 1].thread == a->thread && r->readers[cell->more - 1].clock == a->clock)
        return;
    if (r->reader_count == r->reader_room) {
        const uint32_t room = r->reader_room ? 2 * r->reader_room : 256;
        struct reader *longer = realloc(r->readers, room * sizeof *longer);
        if (!longer)
            return;
        r->readers = longer;
        r->reader_room = room;
    }
    r->readers[r->reader_count] = (struct reader){a->position, cell->more, a->thread, a->clock};
    cell->more = ++r->reader_count;
}

/* Keeps two readers such that a write that races with any reader races with one of them. That holds as long as all
   lanes of a warp meet in __syncwarp; where a mask leaves some out, all readers are kept. */
static void add_reader(struct recorder *r, struct cell *cell, const struct access *a) {
    if (r->warps[a->thread / WARP_SIZE].partial) {
        add_more(r, cell, a);
    } else if (cell->reader == a->thread) {
        if (cell->read_clock != a->clock)
            set_reader(cell, a);
    } else if (is_before(r, cell->reader, cell->read_clock, a)) {
        set_reader(cell, a);
    } else if (cell->other == NOBODY || cell->other == a->thread ||
               (cell->other / WARP_SIZE == cell->reader / WARP_SIZE &&
                cell->reader / WARP_SIZE != a->thread / WARP_SIZE)) {
        set_other(cell, a);
    }
}

/* The last writer; where that is the same thread, another one before it that did not race with it. */
static void meet_writers(struct recorder *r, const struct cell *cell, const struct access *a) {
    if (cell->written != r->interval)
        return;
    meet(r, cell, cell->writer, cell->write_clock, cell->write_position, a);
    if (cell->updated == r->interval)
        meet(r, cell, cell->updater, cell->update_clock, cell->update_position, a);
}

/* Where another thread has asked in this interval, that is a race. */
static void meet_copy(struct recorder *r, const struct cell *cell, const struct access *a) {
    const bool is_on_its_way = cell->asked >= r->first_of_block && !cell->arrived && !is_landing(a->entry);
    if (is_on_its_way && !(cell->asked == r->interval && cell->writer != a->thread))
        add_candidate(r, cell, a, true);
}

static void read_cell(struct recorder *r, struct cell *cell, const struct access *a) {
    meet_writers(r, cell, a);
    meet_copy(r, cell, a);
    if (cell->read == r->interval) {
        add_reader(r, cell, a);
        return;
    }
    cell->read = r->interval;
    cell->other = NOBODY;
    cell->more = 0;
    set_reader(cell, a);
    if (cell->written < r->first_of_block)
        add_candidate(r, cell, a, false);
}

/* Atomic updates do not race with each other, so a later plain access may race with any of them. Two of different
   threads are enough. */
static void keep_updater(struct recorder *r, struct cell *cell, const struct access *a) {
    const bool follows = cell->written == r->interval && cell->writer != a->thread &&
                         operation_of(a->entry) == CPU_DEVICE_ATOMIC &&
                         operation_of(entry_at(r, cell->writer, cell->write_position)) == CPU_DEVICE_ATOMIC;
    if (follows) {
        cell->updated = r->interval;
        cell->updater = cell->writer;
        cell->update_clock = cell->write_clock;
        cell->update_position = cell->write_position;
    }
}

static void write_cell(struct recorder *r, struct cell *cell, const struct access *a) {
    meet_writers(r, cell, a);
    meet_copy(r, cell, a);
    if (cell->read == r->interval) {
        meet(r, cell, cell->reader, cell->read_clock, cell->read_position, a);
        if (cell->other != NOBODY)
            meet(r, cell, cell->other, cell->other_clock, cell->other_position, a);
        for (uint32_t m = cell->more; m; m = r->readers[m - 1].next)
            meet(r, cell, r->readers[m - 1].thread, r->readers[m - 1].clock, r->readers[m - 1].position, a);
    }
    /* An atomic update needs a value to begin with, too. */
    if (operation_of(a->entry) == CPU_DEVICE_ATOMIC && cell->written < r->first_of_block)
        add_candidate(r, cell, a, false);
    keep_updater(r, cell, a);
    cell->written = r->interval;
    cell->writer = a->thread;
    cell->write_clock = a->clock;
    cell->write_position = a->position;
    if (operation_of(a->entry) == CPU_DEVICE_ASYNC) {
        cell->asked = r->interval;
        cell->asked_site = site_of(a->entry);
        cell->arrived = false;
    } else if (is_landing(a->entry)) {
        cell->arrived = true;
    }
}

static void touch_cell(struct recorder *r, struct cell *cell, const struct access *a) {
    if (operation_of(a->entry) == CPU_DEVICE_LOAD)
        read_cell(r, cell, a);
    else
        write_cell(r, cell, a);
}

/* From now on the four bytes have cells of their own, until the block ends. */
static void split(struct recorder *r, struct cell *cell) {
    struct cell *bytes = &r->byte_cells[4 * (cell - r->cells)];
    for (int i = 0; i < 4; i++)
        bytes[i] = *cell;
    cell->split = r->interval;
}

static void touch(struct recorder *r, const struct access *a) {
    size_t offset = offset_of(a->entry), left = size_of(a->entry);
    while (left > 0) {
        struct cell *cell = &r->cells[offset / 4];
        const size_t bytes = left < 4 - offset % 4 ? left : 4 - offset % 4;
        if (bytes < 4 && cell->split < r->first_of_block)
            split(r, cell);
        if (cell->split < r->first_of_block)
            touch_cell(r, cell, a);
        else
            for (size_t i = 0; i < bytes; i++)
                touch_cell(r, &r->byte_cells[offset + i], a);
        offset += bytes;
        left -= bytes;
    }
}

/* ---- One interval ---- */

/* The accesses of a lane up to its next meeting; its clock is then that of the meeting. */
static void go_through_lane(struct recorder *r, unsigned thread, uint32_t *position, uint32_t *clock) {
    const race_entry *log = race_thread_entries(&r->log, thread);
    const uint32_t used = r->log.used[thread];
    struct access a = {.thread = (uint16_t)thread, .clock = (uint16_t)*clock};
    uint32_t at = *position;
    for (; at < used && !is_marker(log[at]); at++) {
        a.entry = log[at];
        a.position = at;
        touch(r, &a);
    }
    if (at < used)
        *clock = (uint32_t)(log[at++] & UINT32_MAX);
    *position = at;
}

/* Lanes in order of the meetings between them: what happened before something else is gone through before it. */
static void go_through_warp(struct recorder *r, unsigned warp) {
    uint32_t positions[WARP_SIZE] = {0}, clocks[WARP_SIZE] = {0}, clock = 0;
    while (clock != UINT32_MAX) {
        uint32_t next = UINT32_MAX;
        for (unsigned lane = 0; lane < WARP_SIZE; lane++) {
            const unsigned thread = warp * WARP_SIZE + lane;
            if (clocks[lane] == clock && positions[lane] < r->log.used[thread])
                go_through_lane(r, thread, &positions[lane], &clocks[lane]);
            if (positions[lane] < r->log.used[thread] && clocks[lane] < next)
                next = clocks[lane];
        }
        clock = next;
    }
}

/* Whether another thread has written the cell since then with nothing to order the two: that is told as a race. */
static bool is_race(const struct recorder *r, const struct candidate *c, const struct cell *cell) {
    if (cell->split >= r->first_of_block) {
        const struct cell *bytes = &r->byte_cells[4 * (cell - r->cells)];
        return is_race(r, c, &bytes[0]) || is_race(r, c, &bytes[1]) || is_race(r, c, &bytes[2]) ||
               is_race(r, c, &bytes[3]);
    }
    const struct access write = {.thread = cell->writer, .clock = cell->write_clock};
    return cell->written == r->interval && cell->writer != c->thread && !is_before(r, c->thread, c->clock, &write);
}

static size_t offset_of_cell(const struct recorder *r, const struct cell *cell) {
    const bool is_word = cell >= r->cells && cell < r->cells + r->words;
    return is_word ? 4 * (size_t)(cell - r->cells) : (size_t)(cell - r->byte_cells);
}

/* A structure is often written member by member and read as a whole, padding included. */
static bool may_be_padding(const struct recorder *r, const struct candidate *c) {
    return offset_of_cell(r, c->cell) > offset_of(c->entry) &&
           r->names->may_hold_padding(offset_of(c->entry), size_of(c->entry));
}

/* The copy has not arrived in this interval, or only after its own thread had looked. Where another thread's wait
   brought it, meet has told. */
static void tell_early(struct recorder *r, const struct candidate *c) {
    if (!c->cell->arrived || c->cell->writer == c->thread)
        note_early(r, c->cell, c->entry, c->thread);
}

static void tell_unwritten(struct recorder *r, const struct candidate *c) {
    const struct finding_hit hit = {
        .kind = FINDING_UNWRITTEN, .site = site_of(c->entry), .block = r->block->number, .order = r->order++};
    if (!finding_note(&hit))
        return;
    char place[160];
    const size_t first = offset_of(c->entry), unwritten = offset_of_cell(r, c->cell);
    r->names->describe(unwritten > first ? unwritten : first, unwritten > first ? 4 : size_of(c->entry), place,
                       sizeof place);
    const uint3 b = r->block->index, t = r->block->threads[c->thread].index;
    finding_tell(
        "In block (%u, %u, %u), thread (%u, %u, %u) %s %s at {1}, and no thread of the block has written it before. "
        "Shared memory is not cleared: what is there is left over from another block. Perhaps what lies outside a "
        "matrix was not set to zero, a thread has more than one element to fetch, or some returned early.",
        b.x, b.y, b.z, t.x, t.y, t.z, finding_verb(operation_of(c->entry)), place);
}

static void tell_candidates(struct recorder *r) {
    for (size_t i = 0; i < r->candidate_count; i++) {
        const struct candidate *c = &r->candidates[i];
        const bool is_told = operation_of(c->entry) == CPU_DEVICE_LOAD && is_race(r, c, c->cell);
        if (c->is_early)
            tell_early(r, c);
        else if (!is_told && !may_be_padding(r, c))
            tell_unwritten(r, c);
    }
    r->candidate_count = 0;
}

void race_begin_block(const struct block *block) {
    struct recorder *r = own;
    r->block = block;
    r->first_of_block = ++r->interval;
    r->order = 0;
    r->log.overflowed = false;
}

void race_drop_interval(const struct block *block) {
    struct recorder *r = own;
    memset(r->log.used, 0, sizeof *r->log.used * block->warp_count * WARP_SIZE);
    for (unsigned w = 0; w < block->warp_count; w++) {
        r->warps[w].count = 0;
        r->warps[w].partial = false;
    }
    r->candidate_count = 0;
    r->reader_count = 0;
    r->interval++;
}

void race_end_interval(const struct block *block, const struct race_names *names) {
    struct recorder *r = own;
    r->names = names;
    for (unsigned w = 0; w < block->warp_count; w++)
        go_through_warp(r, w);
    if (!r->log.overflowed)
        tell_candidates(r);
    race_drop_interval(block);
}

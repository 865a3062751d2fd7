/* Warp collectives: lanes meet, and the last one to arrive works for all. */
#include "race.h"
#include "scheduler.h"

#include <string.h>

#define HERE __builtin_return_address(0)

static void complete_meeting(struct block *block, unsigned warp_number, unsigned meeting_number) {
    struct warp *warp = &block->warps[warp_number];
    struct meeting *meeting = &warp->meetings[meeting_number];
    if (meeting->function) {
        void *payload[WARP_SIZE] = {0};
        for (unsigned left = meeting->arrived; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            payload[lane] = block->threads[warp_number * WARP_SIZE + lane].payload;
        }
        meeting->function(payload, meeting->arrived);
    }
    /* Of the warp functions only __syncwarp orders accesses to memory. */
    if (!meeting->function && block->grid->checked)
        race_sync_warp(warp_number, meeting->arrived);
    warp->runnable |= meeting->arrived;
    warp->open_meetings &= ~(1u << meeting_number);
}

static bool is_complete(const struct warp *warp, const struct meeting *meeting) {
    return (meeting->mask & ~(meeting->arrived | warp->exited)) == 0;
}

void cpu_device_settle_meetings(struct block *block, unsigned warp_number) {
    struct warp *warp = &block->warps[warp_number];
    for (unsigned left = warp->open_meetings; left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctz(left);
        if (is_complete(warp, &warp->meetings[number]))
            complete_meeting(block, warp_number, number);
    }
}

/* The open meeting of these lanes for this function, or a new one. There is always room: each open meeting holds at
   least one waiting lane. */
static unsigned find_meeting(struct warp *warp, unsigned mask, cpu_device_warp_function function) {
    for (unsigned left = warp->open_meetings; left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctz(left);
        if (warp->meetings[number].mask == mask && warp->meetings[number].function == function)
            return number;
    }
    unsigned number = (unsigned)__builtin_ctz(~warp->open_meetings);
    warp->open_meetings |= 1u << number;
    warp->meetings[number] = (struct meeting){.mask = mask, .function = function};
    return number;
}

void cpu_device_meet(unsigned mask, cpu_device_warp_function function, void *payload, const void *place) {
    struct block *block = cpu_device_current_block();
    struct cuda_thread *thread = block->current;
    struct warp *warp = &block->warps[thread->warp];
    thread->place = place;
    unsigned own = 1u << thread->lane;
    warp->runnable &= ~own;
    if (!(mask & own)) {
        cpu_device_fail_block(block, cudaErrorLaunchFailure,
                              "lane %u of warp %u calls a warp function with mask 0x%08x, which leaves it out.",
                              thread->lane, thread->warp, mask);
        cpu_device_suspend(block);
    }
    unsigned number = find_meeting(warp, mask, function);
    thread->payload = payload;
    warp->meetings[number].arrived |= own;
    if (is_complete(warp, &warp->meetings[number]))
        complete_meeting(block, thread->warp, number);
    else
        cpu_device_suspend(block);
}

void cpu_device_warp_collective(unsigned mask, cpu_device_warp_function function, void *payload) {
    cpu_device_meet(mask, function, payload, HERE);
}

void cpu_device_sync_warp(unsigned mask) { cpu_device_meet(mask, NULL, NULL, HERE); }

unsigned cpu_device_active_mask(void) {
    const struct block *block = cpu_device_current_block();
    return ~block->warps[block->current->warp].exited;
}

/* ---- Shuffles ---- */

struct shuffle {
    uint64_t value, result;
    int lane_or_delta, width;
    enum cpu_device_shuffle_mode mode;
};

/* PTX ISA, "shfl.sync": a source outside the segment leaves the lane with its own value. */
static unsigned shuffle_source(unsigned lane, const struct shuffle *s) {
    unsigned width = (unsigned)s->width, delta = (unsigned)s->lane_or_delta & 31u; /* PTX ISA, shfl: bits 4:0 */
    unsigned first = lane & ~(width - 1), source = lane;
    switch (s->mode) {
    case CPU_DEVICE_SHUFFLE_INDEX:
        return first + (delta & (width - 1));
    case CPU_DEVICE_SHUFFLE_UP:
        source = lane - delta;
        return delta <= lane - first ? source : lane;
    case CPU_DEVICE_SHUFFLE_DOWN:
        source = lane + delta;
        break;
    case CPU_DEVICE_SHUFFLE_XOR:
        source = lane ^ delta;
        break;
    }
    return source < first + width ? source : lane;
}

static void shuffle_warp(void *const payload[32], unsigned mask) {
    for (unsigned left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct shuffle *s = payload[lane];
        unsigned source = shuffle_source(lane, s);
        s->result = mask >> source & 1 ? ((const struct shuffle *)payload[source])->value : UINT64_MAX;
    }
}

uint64_t cpu_device_shuffle(unsigned mask, uint64_t value, int lane_or_delta, int width,
                            enum cpu_device_shuffle_mode mode) {
    struct shuffle s = {value, 0, lane_or_delta, width, mode};
    cpu_device_meet(mask, shuffle_warp, &s, HERE);
    return s.result;
}

/* ---- Votes ---- */

struct vote {
    int predicate;
    unsigned result;
};

static void vote_warp(void *const payload[32], unsigned mask) {
    unsigned result = 0;
    for (unsigned left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (((const struct vote *)payload[lane])->predicate)
            result |= 1u << lane;
    }
    for (unsigned left = mask; left; left &= left - 1)
        ((struct vote *)payload[__builtin_ctz(left)])->result = result;
}

unsigned cpu_device_ballot(unsigned mask, int predicate) {
    struct vote vote = {predicate, 0};
    cpu_device_meet(mask, vote_warp, &vote, HERE);
    return vote.result;
}

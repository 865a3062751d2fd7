#include "cost.h"

#include <stdbool.h>
#include <string.h>

enum { BANKS = 32, WORD_BYTES = 4, MAX_WORDS = COST_LANES * 4 };

/* Word w lies in bank w % 32. Words of a bank are kept in a chain, so that equal ones are found. */
unsigned cost_phase(const uint64_t *addresses, unsigned count, unsigned size) {
    uint64_t words[MAX_WORDS];
    unsigned char next[MAX_WORDS], first[BANKS], length[BANKS] = {0};
    enum { END = 255 };
    memset(first, END, sizeof first);
    unsigned used = 0, fullest = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t last = (addresses[i] + size - 1) / WORD_BYTES;
        for (uint64_t word = addresses[i] / WORD_BYTES; word <= last && used < MAX_WORDS; word++) {
            unsigned bank = (unsigned)(word % BANKS), at = first[bank];
            while (at != END && words[at] != word)
                at = next[at];
            if (at != END)
                continue;
            words[used] = word;
            next[used] = first[bank];
            first[bank] = (unsigned char)used++;
            if (++length[bank] > fullest)
                fullest = length[bank];
        }
    }
    return fullest;
}

/* Whether every active lane has the address of the lane whose number differs in `bit`, if that one is active. */
static bool lanes_pair_up(const uint64_t *addresses, uint32_t active, unsigned bit) {
    for (unsigned lane = 0; lane < COST_LANES; lane++) {
        unsigned other = lane ^ bit;
        if ((active >> lane & 1) && (active >> other & 1) && addresses[lane] != addresses[other])
            return false;
    }
    return true;
}

static struct cost_shared in_phases(const uint64_t *addresses, uint32_t active, unsigned size, unsigned lanes) {
    struct cost_shared cost = {0, 0};
    for (unsigned begin = 0; begin < COST_LANES; begin += lanes) {
        uint64_t phase[COST_LANES];
        unsigned count = 0;
        for (unsigned lane = begin; lane < begin + lanes; lane++)
            if (active >> lane & 1)
                phase[count++] = addresses[lane];
        if (count == 0)
            continue;
        cost.wavefronts += cost_phase(phase, count, size);
        cost.conflict_free++;
    }
    return cost;
}

unsigned cost_lanes_of_phase(const uint64_t addresses[COST_LANES], uint32_t active, unsigned size) {
    unsigned lanes = size <= 4 ? 32 : size <= 8 ? 16 : 8;
    if (size > 4 && (lanes_pair_up(addresses, active, 1) || lanes_pair_up(addresses, active, 2)))
        lanes *= 2;
    return lanes;
}

struct cost_shared cost_shared_access(const uint64_t addresses[COST_LANES], uint32_t active, unsigned size) {
    return in_phases(addresses, active, size, cost_lanes_of_phase(addresses, active, size));
}

struct cost_shared cost_ldmatrix(const uint64_t addresses[COST_LANES], unsigned matrices) {
    uint32_t rows = matrices >= 4 ? UINT32_MAX : (1u << 8 * matrices) - 1;
    return in_phases(addresses, rows, 16, 8);
}

/* The lanes whose place no later lane overwrites. */
static uint32_t lanes_that_stay(const uint64_t *to, uint32_t active) {
    uint32_t stay = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        bool overwritten = false;
        for (uint32_t later = left & (left - 1); later && !overwritten; later &= later - 1)
            overwritten = to[__builtin_ctz(later)] == to[lane];
        stay |= (uint32_t)!overwritten << lane;
    }
    return stay;
}

/* What one lane copies, as a part of its transfer. */
struct piece {
    uint64_t to, from;
    unsigned kind; /* alike for transfers that share wavefronts */
};

enum { HALF_SECTOR = COST_SECTOR_BYTES / 2, WHOLE = 4 };

static unsigned half_of(uint64_t address) { return address / HALF_SECTOR % 2; }

/* 0 to 3: from one half to one half; WHOLE: both halves of a sector, straight or swapped. */
static unsigned kind_of(const uint64_t *to, const uint64_t *from, uint32_t lanes, unsigned lane) {
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned other = (unsigned)__builtin_ctz(left);
        if ((to[other] ^ to[lane]) / HALF_SECTOR == 1 && (from[other] ^ from[lane]) / HALF_SECTOR == 1)
            return WHOLE;
    }
    return 2 * half_of(to[lane]) + half_of(from[lane]);
}

/* How many there are that differ in the piece of `to_unit` bytes they go to, the one of `from_unit` bytes that they
   come from or, when that counts, in their kind. */
static unsigned distinct(const struct piece *pieces, unsigned count, unsigned to_unit, unsigned from_unit,
                         bool by_kind) {
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        bool seen = false;
        for (unsigned j = 0; j < i && !seen; j++)
            seen = pieces[j].to / to_unit == pieces[i].to / to_unit &&
                   pieces[j].from / from_unit == pieces[i].from / from_unit &&
                   (!by_kind || pieces[j].kind == pieces[i].kind);
        found += !seen;
    }
    return found;
}

struct cost_copy cost_copy(const uint64_t to[COST_LANES], const uint64_t from[COST_LANES], uint32_t active) {
    struct piece copied[COST_LANES];
    struct cost_shared fill = {0, 0};
    unsigned copies = 0;
    const uint32_t lanes = lanes_that_stay(to, active);
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (from[lane])
            copied[copies++] = (struct piece){to[lane], from[lane], kind_of(to, from, lanes, lane)};
        else
            fill = cost_shared_access(to, active, HALF_SECTOR);
    }
    const unsigned wavefronts = distinct(copied, copies, COST_LINE_BYTES, COST_LINE_BYTES, true);
    const unsigned least = (HALF_SECTOR * copies + COST_LINE_BYTES - 1) / COST_LINE_BYTES;
    return (struct cost_copy){{wavefronts + fill.wavefronts, least + fill.conflict_free},
                              distinct(copied, copies, COST_SECTOR_BYTES, COST_LINE_BYTES, false),
                              distinct(copied, copies, COST_SECTOR_BYTES, COST_SECTOR_BYTES, true)};
}

unsigned cost_copy_wavefronts(const uint64_t to[COST_LANES], const uint64_t from[COST_LANES], uint32_t active,
                              unsigned wavefront[COST_LANES]) {
    const uint32_t lanes = lanes_that_stay(to, active);
    unsigned count = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        wavefront[lane] = count;
        for (uint32_t earlier = lanes & ((1u << lane) - 1); earlier; earlier &= earlier - 1) {
            const unsigned other = (unsigned)__builtin_ctz(earlier);
            if (to[other] / COST_LINE_BYTES == to[lane] / COST_LINE_BYTES &&
                from[other] / COST_LINE_BYTES == from[lane] / COST_LINE_BYTES &&
                kind_of(to, from, lanes, other) == kind_of(to, from, lanes, lane))
                wavefront[lane] = wavefront[other];
        }
        count += wavefront[lane] == count;
    }
    return count;
}

static void insert_sector(struct cost_global *cost, uint64_t sector) {
    unsigned at = cost->sectors;
    while (at > 0 && cost->sector[at - 1] > sector)
        at--;
    if (at > 0 && cost->sector[at - 1] == sector)
        return;
    memmove(&cost->sector[at + 1], &cost->sector[at], (cost->sectors - at) * sizeof *cost->sector);
    cost->sector[at] = sector;
    cost->sectors++;
}

/* Addresses mostly ascend with the lane, so that insertion is at the end. */
void cost_global_access(const uint64_t addresses[COST_LANES], uint32_t active, unsigned size,
                        struct cost_global *cost) {
    cost->sectors = cost->lines = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        uint64_t address = addresses[__builtin_ctz(left)];
        insert_sector(cost, address / COST_SECTOR_BYTES);
        uint64_t last = (address + size - 1) / COST_SECTOR_BYTES;
        if (last != address / COST_SECTOR_BYTES)
            insert_sector(cost, last);
    }
    for (unsigned i = 0; i < cost->sectors; i++)
        if (i == 0 || cost->sector[i] / 4 != cost->sector[i - 1] / 4)
            cost->lines++;
}

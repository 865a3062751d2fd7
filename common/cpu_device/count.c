/* From the accesses of lanes to the requests of warps, and from there to sums. What they cost is in cost.c. */
#define _GNU_SOURCE
#include "count.h"

#include "cost.h"
#include "device.h"
#include "memory.h"
#include "program.h"
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Accesses that a lane may make before its warp is looked at. Lanes that take different ways and make more than this
   between two barriers are put together a little wrongly. */
enum { LOG_ENTRIES = 1 << 16 };
/* From lane to lane. The logs of a warp are read side by side; a power of two apart they would compete for the same
   lines of the cache. 36 entries are 9 lines. */
enum { LOG_STRIDE = LOG_ENTRIES + 36 };
#define LOGS_SIZE (WARP_SIZE * LOG_STRIDE * sizeof(struct log_entry))

enum { SPACE_SHIFT = 6, OTHER_SPACE = 4 };

/* ---- Sites: a place in the machine code with what its requests have cost ---- */

struct site {
    uint64_t key;
    struct site_totals totals;
    /* The last request and its cost, which the next one mostly repeats at another place in memory. */
    struct {
        uint32_t active;
        unsigned lanes;
        int phase, least_shift, most_shift; /* what keeps the cost as it is: see may_reuse */
        int64_t deltas[WARP_SIZE];
        struct cost_shared shared;
        unsigned sectors, lines;
        uint32_t sector_offsets[2 * WARP_SIZE];
        bool holds_offsets;
    } last;
    /* While a warp whose lanes went different ways is put together. */
    uint32_t seen, group_count, group_room;
    unsigned seen_by;
    uint32_t *groups;
};

struct site_table {
    struct site **slots; /* open addressing */
    size_t slot_count, count;
};

struct group {
    struct site *site;
    uint32_t active;
    uint64_t addresses[WARP_SIZE];
    bool copies; /* asynchronously, by the entries' two keys: */
    uint64_t key, from_key;
    uint64_t from[WARP_SIZE];
};

struct counter {
    struct log_entry *logs;
    size_t used[WARP_SIZE];
    struct site_table sites;
    struct program_range shared, arena, data, constants;
    struct program_object *objects; /* shared arrays that were touched in this launch */
    size_t object_count, object_room;
    /* For each sector of global memory, the number of the last block that touched it: first those of the program's own
       data, then those of the arena. */
    uint16_t *stamps;
    size_t data_sectors;
    uint16_t stamp;
    size_t sector_count;
    size_t first_sector, end_sector; /* touched in this launch */
    uint64_t block_sectors, barriers;
    struct program_range last_object; /* the shared array that was touched last */
    struct group *groups;
    size_t group_count, group_room;
    bool failed;
};

static _Thread_local struct counter *own;
static _Thread_local uint64_t half_flops, tensor_flops;

static void release(void *memory, size_t size) {
    if (memory)
        munmap(memory, size);
}

static size_t slot_of(const struct site_table *table, uint64_t key) {
    size_t mask = table->slot_count - 1, slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & mask;
    while (table->slots[slot] && table->slots[slot]->key != key)
        slot = (slot + 1) & mask;
    return slot;
}

static bool grow_table(struct site_table *table) {
    struct site_table larger = {NULL, table->slot_count ? 2 * table->slot_count : 1024, table->count};
    larger.slots = calloc(larger.slot_count, sizeof(struct site *));
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < table->slot_count; i++)
        if (table->slots[i])
            larger.slots[slot_of(&larger, table->slots[i]->key)] = table->slots[i];
    free(table->slots);
    *table = larger;
    return true;
}

static struct site *add_site(struct counter *c, uint64_t key) {
    if (2 * c->sites.count >= c->sites.slot_count && !grow_table(&c->sites))
        return NULL;
    struct site *site = calloc(1, sizeof *site);
    if (!site)
        return NULL;
    site->key = key;
    c->sites.slots[slot_of(&c->sites, key)] = site;
    c->sites.count++;
    return site;
}

static bool inside(const struct program_range *range, uintptr_t address) {
    return address - range->begin < range->end - range->begin;
}

static uint64_t space_of(const struct counter *c, uintptr_t address) {
    if (inside(&c->shared, address))
        return CPU_DEVICE_SHARED;
    if (inside(&c->arena, address))
        return CPU_DEVICE_GLOBAL;
    if (inside(&c->constants, address) && program_is_constant(address))
        return CPU_DEVICE_CONSTANT;
    if (inside(&c->data, address))
        return CPU_DEVICE_GLOBAL;
    return OTHER_SPACE; /* the host's: arguments of the kernel, for one */
}

/* NULL when there is no memory. */
static struct site *get_site(struct counter *c, uint64_t key) {
    struct site *site = c->sites.slot_count ? c->sites.slots[slot_of(&c->sites, key)] : NULL;
    if (site)
        return site;
    site = add_site(c, key);
    if (!site)
        c->failed = true;
    return site;
}

/* NULL for an access that is not counted. */
static struct site *find_site(struct counter *c, uint64_t key, uintptr_t address) {
    const uint64_t space = space_of(c, address);
    return space == OTHER_SPACE ? NULL : get_site(c, key | space << SPACE_SHIFT);
}

/* ---- Shared arrays ---- */

/* Whether a touched array holds the address; it is then the last one. */
static bool find_object(struct counter *c, uint64_t address) {
    const uint64_t offset = address - c->shared.begin;
    for (size_t i = 0; i < c->object_count; i++) {
        const struct program_object *object = &c->objects[i];
        if (offset - object->offset >= object->size)
            continue;
        c->last_object.begin = c->shared.begin + object->offset;
        c->last_object.end = c->last_object.begin + object->size;
        return true;
    }
    return false;
}

static void touch_object(struct counter *c, uint64_t address) {
    if (inside(&c->last_object, address) || find_object(c, address))
        return;
    struct program_object object = program_shared_object(address - c->shared.begin);
    if (object.size == 0)
        return;
    if (c->object_count == c->object_room) {
        size_t room = c->object_room ? 2 * c->object_room : 16;
        struct program_object *longer = realloc(c->objects, room * sizeof *longer);
        if (!longer) {
            c->failed = true;
            return;
        }
        c->objects = longer;
        c->object_room = room;
    }
    c->objects[c->object_count++] = object;
}

/* ---- Requests ---- */

static void touch_sector(struct counter *c, size_t sector) {
    if (c->stamps[sector] == c->stamp)
        return;
    c->stamps[sector] = c->stamp;
    c->block_sectors++;
}

static size_t sector_number(const struct counter *c, uint64_t address) {
    return inside(&c->arena, address) ? c->data_sectors + (address - c->arena.begin) / COST_SECTOR_BYTES
                                      : address / COST_SECTOR_BYTES - c->data.begin / COST_SECTOR_BYTES;
}

/* By a copy past L1, which asks L2 each time: 1 stands for a block before this one. */
static void touch_past_l1(struct counter *c, size_t sector) {
    if (c->stamps[sector] == 0)
        c->stamps[sector] = 1;
}

static void touch_sectors(struct counter *c, const struct site *site, uint64_t first_address, bool past_l1) {
    if (!site->last.holds_offsets)
        return;
    size_t base = sector_number(c, first_address);
    for (unsigned i = 0; i < site->last.sectors; i++) {
        size_t sector = base + (size_t)(int32_t)site->last.sector_offsets[i];
        if (sector >= c->sector_count)
            continue;
        if (past_l1)
            touch_past_l1(c, sector);
        else
            touch_sector(c, sector);
        if (sector < c->first_sector)
            c->first_sector = sector;
        if (sector >= c->end_sector)
            c->end_sector = sector + 1;
    }
}

/* A pattern costs the same at another place when no lane leaves its 4-byte word of shared memory, or its sector of
   global memory: `phase` is where in its cache line (or word) the first lane is, and may shift by so much. */
static int phase_of(unsigned space, uint64_t first) {
    return (int)(first % (space == CPU_DEVICE_SHARED ? 4 : COST_LINE_BYTES));
}

static bool may_reuse(const struct site *site, uint32_t active, int phase) {
    const int shift = phase - site->last.phase;
    return active == site->last.active && shift >= site->last.least_shift && shift <= site->last.most_shift;
}

static void find_shifts(struct site *site, uint32_t active, const uint64_t *addresses, unsigned size) {
    site->last.least_shift = -COST_SECTOR_BYTES;
    site->last.most_shift = COST_SECTOR_BYTES;
    for (uint32_t left = active; left; left &= left - 1) {
        const int from = (int)(addresses[__builtin_ctz(left)] % COST_SECTOR_BYTES);
        const int room = COST_SECTOR_BYTES - (int)size - from;
        if (-from > site->last.least_shift)
            site->last.least_shift = -from;
        if (room < site->last.most_shift)
            site->last.most_shift = room;
    }
    if (site->last.most_shift < 0) /* a lane straddles two sectors */
        site->last.least_shift = site->last.most_shift = 0;
}

static void cost_global(struct site *site, uint32_t active, const uint64_t *addresses, uint64_t first, unsigned size) {
    struct cost_global cost;
    cost_global_access(addresses, active, size, &cost);
    site->last.sectors = cost.sectors;
    site->last.lines = cost.lines;
    site->last.holds_offsets = true;
    find_shifts(site, active, addresses, size);
    for (unsigned i = 0; i < cost.sectors; i++) {
        int64_t offset = (int64_t)(cost.sector[i] - first / COST_SECTOR_BYTES);
        site->last.sector_offsets[i] = (uint32_t)offset;
        site->last.holds_offsets = site->last.holds_offsets && offset == (int32_t)offset;
    }
}

static uint32_t lanes_in_space(const struct counter *c, uint64_t space, uint32_t active, const uint64_t *addresses) {
    uint32_t lanes = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (space_of(c, addresses[lane]) == space)
            lanes |= 1u << lane;
    }
    return lanes;
}

static void add_by_space(struct counter *c, uint64_t key, uint32_t active, const uint64_t *addresses,
                         const struct cost_copy *copy);

/* Of ldmatrix; 0 for another access. Each lane gets 4 bytes of each matrix. */
static unsigned matrices_of(uint64_t key) {
    const unsigned size = key & 15;
    return size >= LOG_LDMATRIX_1 ? 1u << (size - LOG_LDMATRIX_1) : 0;
}

static struct cost_shared shared_cost(uint64_t key, const uint64_t *addresses, uint32_t active, unsigned size) {
    if (matrices_of(key))
        return cost_ldmatrix(addresses, matrices_of(key));
    return cost_shared_access(addresses, active, size);
}

/* Adds one request. addresses[lane] of inactive lanes equal that of the first active one. copy: what the
   whole copy costs that the request is a half of, else NULL. */
static void add_request(struct counter *c, struct site *site, uint32_t active, const uint64_t *addresses,
                        const struct cost_copy *copy) {
    const unsigned matrices = matrices_of(site->key);
    unsigned size = matrices ? 4 * matrices : 1u << (site->key & 15), space = site->key >> SPACE_SHIFT & 3;
    uint64_t first = addresses[__builtin_ctz(active)];
    const int phase = phase_of(space, first);
    int64_t deltas[WARP_SIZE], differences = 0;
    for (unsigned lane = 0; lane < WARP_SIZE; lane++) {
        deltas[lane] = (int64_t)(addresses[lane] - first);
        differences |= deltas[lane] ^ site->last.deltas[lane];
    }
    if (differences || !may_reuse(site, active, phase)) {
        if (lanes_in_space(c, space, active, addresses) != active) {
            add_by_space(c, site->key & ~((uint64_t)3 << SPACE_SHIFT), active, addresses, copy);
            return;
        }
        memcpy(site->last.deltas, deltas, sizeof deltas);
        site->last.active = active;
        site->last.phase = phase;
        site->last.least_shift = site->last.most_shift = 0;
        site->last.lanes = (unsigned)__builtin_popcount(active);
        if (space == CPU_DEVICE_SHARED) {
            site->last.shared = shared_cost(site->key, addresses, active, size);
            for (unsigned lane = 0; lane < WARP_SIZE; lane++)
                touch_object(c, addresses[lane]);
        } else {
            cost_global(site, active, addresses, first, size);
        }
    }
    struct site_totals *t = &site->totals;
    t->requests++;
    t->lanes += site->last.lanes;
    t->bytes += site->last.lanes * size;
    if (space == CPU_DEVICE_SHARED) {
        const struct cost_shared cost = copy ? copy->shared : site->last.shared;
        t->wavefronts += cost.wavefronts;
        t->conflict_free += cost.conflict_free;
        t->shared_offset = first - c->shared.begin;
        touch_object(c, first);
    } else if (space == CPU_DEVICE_GLOBAL) {
        t->sectors += copy ? copy->sectors : site->last.sectors;
        t->lines += copy ? 0 : site->last.lines;
        t->l2_sectors += copy ? copy->l2_sectors : 0;
        touch_sectors(c, site, first, copy != NULL);
    }
}

/* One place in the code may reach several kinds of memory at once, lane by lane: each of them is a request. */
static void add_by_space(struct counter *c, uint64_t key, uint32_t active, const uint64_t *addresses,
                         const struct cost_copy *copy) {
    while (active) {
        uint64_t first = addresses[__builtin_ctz(active)], own_addresses[WARP_SIZE];
        uint32_t lanes = lanes_in_space(c, space_of(c, first), active, addresses);
        for (unsigned lane = 0; lane < WARP_SIZE; lane++)
            own_addresses[lane] = lanes >> lane & 1 ? addresses[lane] : first;
        struct site *site = find_site(c, key, first);
        if (site)
            add_request(c, site, lanes, own_addresses, copy);
        active &= ~lanes;
    }
}

static void add_accesses(struct counter *c, uint64_t key, uint32_t active, const uint64_t *addresses,
                         const struct cost_copy *copy) {
    struct site *site = find_site(c, key, addresses[__builtin_ctz(active)]);
    if (site)
        add_request(c, site, active, addresses, copy);
    else
        add_by_space(c, key, active, addresses, copy);
}

static bool is_copy(uint64_t key) { return (key >> 4 & 3) == CPU_DEVICE_ASYNC; }

/* A copy is two requests. Only those of 16 bytes go past L1. */
static void add_copy(struct counter *c, uint64_t to_key, uint64_t from_key, uint32_t active, const uint64_t *to,
                     const uint64_t *from) {
    enum { LOG2_SIZE_PAST_L1 = 4 };
    struct cost_copy cost;
    const bool past_l1 = (to_key & 15) == LOG2_SIZE_PAST_L1;
    if (past_l1)
        cost = cost_copy(to, from, active);
    add_accesses(c, to_key, active, to, past_l1 ? &cost : NULL);
    add_accesses(c, from_key, active, from, past_l1 ? &cost : NULL);
}

/* ---- Warps whose lanes went different ways ---- */

/* The group of the n-th time that a lane passes a site. */
static struct group *nth_group(struct counter *c, struct site *site, uint32_t n) {
    if (n < site->group_count)
        return &c->groups[site->groups[n]];
    if (site->group_count == site->group_room) {
        uint32_t room = site->group_room ? 2 * site->group_room : 16;
        uint32_t *longer = realloc(site->groups, room * sizeof *longer);
        if (!longer)
            return NULL;
        site->groups = longer;
        site->group_room = room;
    }
    if (c->group_count == c->group_room) {
        size_t room = c->group_room ? 2 * c->group_room : 256;
        struct group *longer = realloc(c->groups, room * sizeof *longer);
        if (!longer)
            return NULL;
        c->groups = longer;
        c->group_room = room;
    }
    site->groups[site->group_count++] = (uint32_t)c->group_count;
    struct group *group = &c->groups[c->group_count++];
    group->site = site;
    group->active = 0;
    return group;
}

/* Entry 0, and of a copy entry 1. */
static void add_to_group(struct counter *c, unsigned lane, const struct log_entry *entry) {
    struct site *site = find_site(c, entry->key, entry->address);
    if (!site)
        return;
    if (site->seen_by != lane + 1) {
        site->seen_by = lane + 1;
        site->seen = 0;
    }
    struct group *group = nth_group(c, site, site->seen++);
    if (!group) {
        c->failed = true;
        return;
    }
    const bool copies = is_copy(entry->key);
    group->copies = copies;
    if (!group->active)
        for (unsigned i = 0; i < WARP_SIZE; i++) {
            group->addresses[i] = entry->address;
            group->from[i] = copies ? entry[1].address : 0;
        }
    group->active |= 1u << lane;
    group->addresses[lane] = entry->address;
    if (copies) {
        group->from[lane] = entry[1].address;
        group->key = entry[0].key;
        group->from_key = entry[1].key;
    }
}

static void flush_divergent(struct counter *c, size_t from) {
    c->group_count = 0;
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        for (size_t i = from; i < c->used[lane];) {
            const struct log_entry *entry = &c->logs[(size_t)lane * LOG_STRIDE + i];
            add_to_group(c, lane, entry);
            i += is_copy(entry->key) ? LOG_ENTRIES_OF_COPY : 1;
        }
    for (size_t i = 0; i < c->group_count; i++) {
        struct group *group = &c->groups[i];
        if (group->copies)
            add_copy(c, group->key, group->from_key, group->active, group->addresses, group->from);
        else
            add_request(c, group->site, group->active, group->addresses, NULL);
        group->site->group_count = 0;
        group->site->seen_by = 0;
    }
}

/* ---- Warps in step ---- */

/* Lanes with an empty log have exited before, or wait: they take no part. */
static uint32_t lanes_with_entries(const struct counter *c, size_t *shortest) {
    uint32_t present = 0;
    *shortest = SIZE_MAX;
    for (unsigned lane = 0; lane < WARP_SIZE; lane++) {
        if (c->used[lane] == 0)
            continue;
        present |= 1u << lane;
        if (c->used[lane] < *shortest)
            *shortest = c->used[lane];
    }
    return present;
}

/* Takes the entries that all present lanes have in common, from the beginning. Returns how many there were. */
static size_t flush_common(struct counter *c, uint32_t present, size_t shortest) {
    const struct log_entry *logs[WARP_SIZE];
    const unsigned first = (unsigned)__builtin_ctz(present);
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        logs[lane] = &c->logs[(size_t)(present >> lane & 1 ? lane : first) * LOG_STRIDE];
    uint64_t to[WARP_SIZE], to_key = 0;
    bool copies = false; /* the entry before was the first of a copy */
    for (size_t i = 0; i < shortest; i++) {
        uint64_t addresses[WARP_SIZE], key = logs[first][i].key, differences = 0;
        for (unsigned lane = 0; lane < WARP_SIZE; lane++) {
            addresses[lane] = logs[lane][i].address;
            differences |= logs[lane][i].key ^ key;
        }
        if (differences)
            return i;
        if (copies) {
            add_copy(c, to_key, key, present, to, addresses);
            copies = false;
        } else if (is_copy(key)) {
            memcpy(to, addresses, sizeof to);
            to_key = key;
            copies = true;
        } else {
            add_accesses(c, key, present, addresses, NULL);
        }
    }
    return shortest;
}

void count_flush_warp(void) {
    struct counter *c = own;
    size_t shortest;
    uint32_t present = lanes_with_entries(c, &shortest);
    if (!present)
        return;
    flush_divergent(c, flush_common(c, present, shortest));
    memset(c->used, 0, sizeof c->used);
}

/* ---- Lanes, blocks, threads ---- */

void count_enter_lane(unsigned lane) {
    struct log_entry *log = &own->logs[(size_t)lane * LOG_STRIDE];
    cpu_device_log.next = log + own->used[lane];
    cpu_device_log.end = log + LOG_ENTRIES;
}

void count_leave_lane(unsigned lane) {
    own->used[lane] = (size_t)(cpu_device_log.next - &own->logs[(size_t)lane * LOG_STRIDE]);
    cpu_device_log.next = NULL;
}

void count_barrier(void) { own->barriers++; }

/* Sites of their own, beside those of accesses; they need no log, since all lanes of a warp take part. */
void cpu_device_note_mma(unsigned operations, const void *place) {
    if (!cpu_device_log.next)
        return;
    const uint64_t key = ((uintptr_t)place - cpu_device_log.program_base) << 8 | (uint64_t)CPU_DEVICE_TENSOR
                                                                                     << SPACE_SHIFT;
    struct site *site = get_site(own, key);
    tensor_flops += operations / WARP_SIZE;
    if (!site)
        return;
    site->totals.lanes++;
    site->totals.requests = site->totals.lanes / WARP_SIZE;
    site->totals.flops += operations / WARP_SIZE;
}

void cpu_device_note_half_flops(unsigned operations) {
    if (cpu_device_log.next)
        half_flops += operations;
}

/* Stamps are 1 and up; 1 stands for all blocks before the last time they ran out. */
void count_begin_block(void) {
    struct counter *c = own;
    memset(c->used, 0, sizeof c->used); /* of a block that failed */
    if (c->stamp == UINT16_MAX) {
        for (size_t i = c->first_sector; i < c->end_sector; i++)
            c->stamps[i] = c->stamps[i] != 0;
        c->stamp = 1;
    }
    c->stamp++;
}

static struct counter *create_counter(void) {
    struct counter *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->logs = cpu_device_reserve(LOGS_SIZE);
    c->arena.begin = cpu_device_arena(&c->arena.end);
    c->data = program_data();
    c->constants = program_constants();
    c->data_sectors = c->data.end / COST_SECTOR_BYTES - c->data.begin / COST_SECTOR_BYTES + 1;
    c->sector_count = c->data_sectors + (c->arena.end - c->arena.begin) / COST_SECTOR_BYTES;
    c->stamps = cpu_device_reserve(c->sector_count * sizeof *c->stamps);
    cpu_device_log.program_base = program_base();
    cpu_device_log.blocks_run = cpu_device_reserve((c->data.end - cpu_device_log.program_base) * sizeof(uint64_t));
    if (c->logs && c->stamps && cpu_device_log.blocks_run)
        return c;
    release(c->logs, LOGS_SIZE);
    release(c->stamps, c->sector_count * sizeof *c->stamps);
    release(cpu_device_log.blocks_run, (c->data.end - cpu_device_log.program_base) * sizeof(uint64_t));
    free(c);
    return NULL;
}

/* ---- Launches ---- */

static char *label; /* NULL: launches are not counted */

static void say_uncounted(const char *what) { fprintf(stderr, "CPU device: no memory to count %s.\n", what); }

void cpu_device_count_launches(const char *new_label) {
    free(label);
    label = new_label ? strdup(new_label) : NULL;
    if (new_label && !label)
        say_uncounted("launches");
}

struct tally *count_begin_launch(const struct cpu_device_launch_config *config, bool needed) {
    const char *name = label ? label : needed ? "" : NULL;
    struct tally *tally = name ? tally_find(name, config) : NULL;
    if (tally)
        tally_begin_launch(tally);
    else if (name)
        say_uncounted(config->kernel_name);
    return tally;
}

bool count_begin_thread(const void *stacks, size_t stacks_size, bool checked) {
    if (!own)
        own = create_counter();
    if (!own)
        return false;
    own->shared = program_thread_local();
    own->stamp = 1;
    own->first_sector = SIZE_MAX;
    own->object_count = 0;
    own->last_object = (struct program_range){0, 0};
    own->end_sector = own->block_sectors = own->barriers = half_flops = tensor_flops = 0;
    cpu_device_log.stacks = (uintptr_t)stacks;
    cpu_device_log.stacks_size = stacks_size;
    cpu_device_log.checked = checked;
    return true;
}

static void hand_over_sites(struct tally *tally, struct site_table *table) {
    for (size_t i = 0; i < table->slot_count; i++) {
        struct site *site = table->slots[i];
        if (!site)
            continue;
        if (matrices_of(site->key)) {
            site->totals.matrix_requests = site->totals.requests;
            site->totals.matrix_wavefronts = site->totals.wavefronts;
        }
        tally_add_site(tally, site->key >> 8, site->key >> SPACE_SHIFT & 3, site->key >> 4 & 3, &site->totals);
        free(site->groups);
        free(site);
        table->slots[i] = NULL;
    }
    table->count = 0;
}

void count_end_thread(struct tally *tally) {
    struct counter *c = own;
    tally_lock();
    hand_over_sites(tally, &c->sites);
    for (size_t i = 0; i < c->object_count; i++)
        tally_add_object(tally, c->objects[i].offset, c->objects[i].size);
    tally_add_thread(tally, c->barriers, c->block_sectors, half_flops, tensor_flops);
    tally_add_blocks(tally, cpu_device_log.blocks_run, c->data.end - cpu_device_log.program_base);
    if (c->end_sector > c->first_sector)
        tally_add_sectors(tally, c->stamps, c->first_sector, c->end_sector);
    if (c->failed)
        tally_is_incomplete(tally);
    tally_unlock();
    c->failed = false;
}

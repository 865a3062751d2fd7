/* Formulas to addresses, addresses to the words of each bank. */
#include "bank_picture.h"
#include "files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Addresses ----------------------------------------------------------------------------------------------------
 */

static const char *const thread_names[] = {"t", "lane", "warp", "tx", "ty"};
enum { THREAD_NAMES = 5, ONE_ROW_NAMES = 3 };

bool bank_name_is_taken(const char *name) {
    for (size_t i = 0; i < THREAD_NAMES; ++i)
        if (strcmp(thread_names[i], name) == 0)
            return true;
    return false;
}

/* The scope of thread t: what it is called by, then the constants. */
static formula_scope scope_of(const bank_access *a, unsigned t, formula_name *names) {
    const unsigned x = a->block_x;
    const int64_t values[THREAD_NAMES] = {t, t % COST_LANES, t / COST_LANES, t % x, t / x};
    size_t count = 0;
    for (size_t i = 0; i < (a->block_y ? THREAD_NAMES : ONE_ROW_NAMES); ++i)
        names[count++] = (formula_name){thread_names[i], values[i]};
    for (size_t i = 0; i < a->constant_count; ++i)
        names[count++] = a->constants[i];
    return (formula_scope){names, count};
}

static int check_address(const bank_access *a, unsigned lane, int64_t index, int64_t elements, const char *flag,
                         fault *f) {
    int64_t address;
    if (index < 0)
        return fault_set(f,
                         "%s: lane %u would access element %" PRId64
                         ", before the array begins; correct the formula or its "
                         "constants",
                         flag, lane, index);
    if (__builtin_mul_overflow(index, (int64_t)a->element, &address))
        return fault_set(f, "%s: the address of lane %u, element %" PRId64 ", overflows 64 bits", flag, lane, index);
    if (address % a->bytes)
        return fault_set(f,
                         "%s: lane %u would move %u bytes at byte %" PRId64 ", which is no multiple of %u; a GPU would "
                         "stop with \"misaligned address\"",
                         flag, lane, a->bytes, address, a->bytes);
    if (elements >= 0 && index > elements - (a->bytes + a->element - 1) / a->element)
        return fault_set(f, "%s: lane %u would access element %" PRId64 " of an array of %" PRId64, flag, lane, index,
                         elements);
    return 0;
}

/* Whether the thread takes part: 1 or 0, or -1 with a sentence. */
static int takes_part(const bank_access *a, unsigned t, const formula_scope *scope, fault *f) {
    const unsigned threads = a->block_x * (a->block_y ? a->block_y : 1);
    if (t >= threads || (a->matrices && t % COST_LANES >= 8 * a->matrices))
        return 0;
    int64_t value = 1;
    if (a->active && formula_evaluate(a->active, scope, "--active", &value, f) != 0)
        return -1;
    return value != 0;
}

static int find_addresses(const bank_access *a, unsigned warp, const char *flag, uint64_t addresses[COST_LANES],
                          uint32_t *active, fault *f) {
    formula_name *names = calloc(THREAD_NAMES + a->constant_count, sizeof *names);
    int result = names ? 0 : fault_set(f, "out of memory");
    *active = 0;
    for (unsigned lane = 0; lane < COST_LANES && result == 0; ++lane) {
        const unsigned t = warp * COST_LANES + lane;
        const formula_scope scope = scope_of(a, t, names);
        const int part = takes_part(a, t, &scope, f);
        int64_t index = 0, elements = -1;
        if (part == 0)
            continue;
        if (part < 0 || formula_evaluate(a->index, &scope, flag, &index, f) != 0 ||
            (a->elements && formula_evaluate(a->elements, &scope, flag, &elements, f) != 0) ||
            check_address(a, lane, index, elements, flag, f) != 0)
            result = -1;
        addresses[lane] = (uint64_t)index * a->element;
        *active |= 1u << lane;
    }
    free(names);
    return result;
}

/* ---- Words --------------------------------------------------------------------------------------------------------
 */

static void want_word(bank_phase *phase, uint64_t word, unsigned lane) {
    const unsigned bank = (unsigned)(word % BANKS);
    bank_word *words = phase->words[bank];
    unsigned at = 0;
    while (at < phase->count[bank] && words[at].word != word)
        ++at;
    if (at == phase->count[bank])
        words[phase->count[bank]++] = (bank_word){word, 0};
    words[at].lanes |= 1u << lane;
}

static void draw_phase(const uint64_t addresses[COST_LANES], uint32_t lanes, unsigned bytes, bank_phase *phase) {
    uint64_t wanted[COST_LANES];
    unsigned count = 0;
    phase->lanes = lanes;
    for (unsigned lane = 0; lane < COST_LANES; ++lane) {
        if (!(lanes >> lane & 1))
            continue;
        wanted[count++] = addresses[lane];
        for (uint64_t byte = 0; byte < bytes; byte += BANK_BYTES)
            want_word(phase, (addresses[lane] + byte) / BANK_BYTES, lane);
    }
    phase->wavefronts = cost_phase(wanted, count, bytes);
}

/* cp.async goes by lines of global and of shared memory, not by lanes: a phase for each wavefront. */
static int draw_copy(const bank_access *a, unsigned warp, const uint64_t to[COST_LANES], bank_picture *picture,
                     fault *f) {
    enum { ANYWHERE = 1 << 20 }; /* in global memory; 0 would stand for zeros */
    const bank_access source = {.index = a->copied_from,
                                .constants = a->constants,
                                .constant_count = a->constant_count,
                                .element = a->element,
                                .bytes = a->bytes,
                                .block_x = a->block_x,
                                .block_y = a->block_y};
    uint64_t from[COST_LANES] = {0};
    unsigned wavefront[COST_LANES];
    uint32_t active, lanes[MAX_PHASES] = {0};
    if (find_addresses(&source, warp, "the source of the copy", from, &active, f) != 0)
        return -1;
    for (unsigned lane = 0; lane < COST_LANES; ++lane)
        from[lane] += ANYWHERE;
    picture->copy = true;
    picture->cost = cost_copy(to, from, picture->active).shared;
    picture->phases = cost_copy_wavefronts(to, from, picture->active, wavefront);
    for (unsigned lane = 0; lane < COST_LANES; ++lane)
        if (picture->active >> lane & 1)
            lanes[wavefront[lane]] |= 1u << lane;
    for (unsigned i = 0; i < picture->phases; ++i)
        draw_phase(to, lanes[i], a->bytes, &picture->phase[i]);
    return 0;
}

int bank_draw(const bank_access *a, unsigned warp, const char *index_flag, bank_picture *picture, fault *f) {
    uint64_t addresses[COST_LANES] = {0};
    memset(picture, 0, sizeof *picture);
    picture->warp = warp;
    if (find_addresses(a, warp, index_flag, addresses, &picture->active, f) != 0)
        return -1;
    if (picture->active == 0)
        return fault_set(f, "--active: no lane of warp %u takes part, so there is nothing to draw", warp);
    if (a->copied_from)
        return draw_copy(a, warp, addresses, picture, f);
    picture->cost =
        a->matrices ? cost_ldmatrix(addresses, a->matrices) : cost_shared_access(addresses, picture->active, a->bytes);
    const unsigned lanes = a->matrices ? 8 : cost_lanes_of_phase(addresses, picture->active, a->bytes);
    for (unsigned begin = 0; begin < COST_LANES; begin += lanes) {
        const uint32_t group = lanes == COST_LANES ? UINT32_MAX : ((1u << lanes) - 1) << begin;
        if (picture->active & group)
            draw_phase(addresses, picture->active & group, a->bytes, &picture->phase[picture->phases++]);
    }
    return 0;
}

/* ---- What is there to say -----------------------------------------------------------------------------------------
 */

unsigned bank_ways(const bank_picture *picture) {
    unsigned ways = 0;
    for (unsigned i = 0; i < picture->phases; ++i)
        if (picture->phase[i].wavefronts > ways)
            ways = picture->phase[i].wavefronts;
    return ways;
}

char *bank_lanes(uint32_t lanes) {
    text_stream text;
    text_open(&text);
    for (unsigned lane = 0; lane < COST_LANES; ++lane) {
        if (!(lanes >> lane & 1))
            continue;
        unsigned last = lane;
        while (last + 1 < COST_LANES && lanes >> (last + 1) & 1)
            ++last;
        fprintf(text.out, "%s%u", ftell(text.out) > 0 ? ", " : "", lane);
        if (last > lane)
            fprintf(text.out, "%s%u", last == lane + 1 ? ", " : "-", last);
        lane = last;
    }
    text_close(&text);
    return text.text;
}

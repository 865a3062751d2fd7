/* What accesses cost, against a plain reading of the rules: sets of words in each bank, sets of sectors. Random
 * patterns, the same in every run. */
#include "cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 32, BANKS = 32, CASES = 100000 };

/* xorshift64*: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016 */
static uint64_t state = 88172645463325252u;
static uint64_t next_random(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717u;
}
static unsigned below(unsigned n) { return (unsigned)(next_random() >> 33) % n; }

/* ---- Patterns ---- */

static uint32_t random_mask(void) {
    switch (below(5)) {
    case 0:
        return (uint32_t)(next_random() >> 32); /* any */
    case 1:
        return UINT32_MAX >> below(32); /* a partial warp */
    case 2:
        return 1u << below(32); /* one lane */
    case 3:
        return 0x55555555u << below(2);
    default:
        return UINT32_MAX;
    }
}

/* Random places far apart or close together, strides, columns, broadcasts, and lanes that pair up. */
static void fill_addresses(uint64_t addresses[LANES], unsigned size) {
    const uint64_t base = ((uint64_t)1 << 40) + below(1024) * size;
    const unsigned kind = below(7), range = 1 + below(below(2) ? 64 : 4096), stride = below(40);
    const unsigned bit = 1u << below(3), misaligned = below(8) == 0 ? below(16) : 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned i = 0;
        switch (kind) {
        case 0:
            i = below(range);
            break;
        case 1:
            i = lane * stride;
            break;
        case 2:
            i = (lane & ~bit) * stride; /* lane and lane^bit share */
            break;
        case 3:
            i = lane / (1 + stride % 8);
            break;
        case 4:
            i = lane % 8 * stride + lane / 8;
            break;
        case 5:
            i = lane ^ stride % 32;
            break;
        default:
            i = below(8) ? lane & ~bit : below(range); /* nearly all share */
        }
        addresses[lane] = base + (uint64_t)i * size + misaligned;
    }
}

/* ---- The rules, word by word ---- */

static bool is_active(uint32_t mask, unsigned lane) { return mask >> lane & 1; }

static bool contains(const uint64_t *set, unsigned count, uint64_t value) {
    for (unsigned i = 0; i < count; i++)
        if (set[i] == value)
            return true;
    return false;
}

/* The largest number of distinct words in one bank; every byte of every access names its word. */
static unsigned wavefronts_of_phase(const uint64_t *addresses, uint32_t mask, unsigned size) {
    uint64_t words[LANES * 17];
    unsigned count = 0, in_bank[BANKS] = {0}, most = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned byte = 0; byte < size && is_active(mask, lane); byte++) {
            const uint64_t word = (addresses[lane] + byte) / 4;
            if (contains(words, count, word))
                continue;
            words[count++] = word;
            in_bank[word % BANKS]++;
        }
    for (unsigned bank = 0; bank < BANKS; bank++)
        most = in_bank[bank] > most ? in_bank[bank] : most;
    return most;
}

static bool is_shared_with(const uint64_t *addresses, uint32_t mask, unsigned bit) {
    for (unsigned lane = 0; lane < LANES; lane++)
        if (is_active(mask, lane) && is_active(mask, lane ^ bit) && addresses[lane] != addresses[lane ^ bit])
            return false;
    return true;
}

static struct cost_shared plain_shared(const uint64_t *addresses, uint32_t mask, unsigned size) {
    const bool pairs = is_shared_with(addresses, mask, 1) || is_shared_with(addresses, mask, 2);
    unsigned phases = 1;
    if (size == 8)
        phases = pairs ? 1 : 2;
    else if (size == 16)
        phases = pairs ? 2 : 4;
    struct cost_shared cost = {0, 0};
    for (unsigned phase = 0; phase < phases; phase++) {
        uint32_t lanes = 0;
        for (unsigned lane = phase * LANES / phases; lane < (phase + 1) * LANES / phases; lane++)
            lanes |= 1u << lane;
        cost.wavefronts += wavefronts_of_phase(addresses, mask & lanes, size);
        cost.conflict_free += (mask & lanes) != 0;
    }
    return cost;
}

/* Distinct values of address / unit over all bytes, ascending. */
static unsigned plain_units(const uint64_t *addresses, uint32_t mask, unsigned size, unsigned unit, uint64_t *set) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned byte = 0; byte < size && is_active(mask, lane); byte++) {
            const uint64_t value = (addresses[lane] + byte) / unit;
            if (contains(set, count, value))
                continue;
            unsigned at = count++;
            for (; at > 0 && set[at - 1] > value; at--)
                set[at] = set[at - 1];
            set[at] = value;
        }
    return count;
}

/* ---- Tests ---- */

static void random_accesses_cost_what_the_rules_say(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < CASES; i++) {
        const unsigned size = 1u << below(5);
        const uint32_t mask = random_mask();
        uint64_t addresses[LANES], set[2 * LANES];
        fill_addresses(addresses, size);
        if (!mask)
            continue;
        const struct cost_shared shared = cost_shared_access(addresses, mask, size),
                                 plain = plain_shared(addresses, mask, size);
        if (shared.wavefronts != plain.wavefronts || shared.conflict_free != plain.conflict_free)
            fail_msg("case %u, %u bytes, lanes %08x: %u (%u) wavefronts, not %u (%u)", i, size, mask, shared.wavefronts,
                     shared.conflict_free, plain.wavefronts, plain.conflict_free);
        struct cost_global global;
        cost_global_access(addresses, mask, size, &global);
        const unsigned lines = plain_units(addresses, mask, size, 128, set);
        const unsigned sectors = plain_units(addresses, mask, size, 32, set);
        if (global.sectors != sectors || global.lines != lines)
            fail_msg("case %u, %u bytes, lanes %08x: %u sectors, %u lines, not %u, %u", i, size, mask, global.sectors,
                     global.lines, sectors, lines);
        assert_memory_equal(global.sector, set, sectors * sizeof *set);
    }
}

/* A sector or line may be counted where lanes that are not active point. */
static void lanes_that_are_not_active_cost_nothing(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < 1000; i++) {
        const unsigned size = 1u << below(5);
        const uint32_t mask = random_mask();
        uint64_t addresses[LANES], others[LANES];
        fill_addresses(addresses, size);
        memcpy(others, addresses, sizeof others);
        for (unsigned lane = 0; lane < LANES; lane++)
            if (!is_active(mask, lane))
                others[lane] = next_random();
        const struct cost_shared a = cost_shared_access(addresses, mask, size),
                                 b = cost_shared_access(others, mask, size);
        assert_int_equal(a.wavefronts, b.wavefronts);
        assert_int_equal(a.conflict_free, b.conflict_free);
        struct cost_global c, d;
        cost_global_access(addresses, mask, size, &c);
        cost_global_access(others, mask, size, &d);
        assert_int_equal(c.sectors, d.sectors);
        assert_int_equal(c.lines, d.lines);
    }
}

/* A phase for each matrix; rows that are 16 bytes apart lie in different banks, rows of 128 bytes in the same. */
static void ldmatrix_has_a_phase_a_matrix(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t addresses[LANES];
        fill_addresses(addresses, 16);
        for (unsigned matrices = 1; matrices <= 4; matrices *= 2) {
            unsigned sum = 0;
            for (unsigned m = 0; m < matrices; m++)
                sum += wavefronts_of_phase(addresses, 0xffu << 8 * m, 16);
            const struct cost_shared cost = cost_ldmatrix(addresses, matrices);
            assert_int_equal(cost.wavefronts, sum);
            assert_int_equal(cost.conflict_free, matrices);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_accesses_cost_what_the_rules_say),
        cmocka_unit_test(lanes_that_are_not_active_cost_nothing),
        cmocka_unit_test(ldmatrix_has_a_phase_a_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

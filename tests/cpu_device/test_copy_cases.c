/* cost_copy against what an H200 counted: patterns of one instruction (copy_cases.csv), and tiles copied by 8 warps. */
#include "cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CHUNK = 16, SHARED_BASE = 4096, GLOBAL_BASE = 65536 };

/* The next field of a row, in place; one in quotes may hold commas. */
static char *next_field(char **at) {
    char *field = *at;
    const char end = *field == '"' ? '"' : ',';
    field += end == '"';
    char *stop = strchr(field, end);
    if (!stop)
        *at = field + strlen(field);
    else {
        *at = stop + 1 + (end == '"');
        *stop = '\0';
    }
    return field;
}

static void read_offsets(char *text, uint64_t to[COST_LANES], uint64_t from[COST_LANES]) {
    for (unsigned lane = 0; lane < COST_LANES; lane++) {
        to[lane] = SHARED_BASE + strtoul(text, &text, 10);
        assert_int_equal(*text, ':');
        from[lane] = GLOBAL_BASE + strtoul(text + 1, &text, 10);
    }
}

enum { COUNTERS = 3 };
static const char *const names[COUNTERS] = {"wavefronts", "sectors", "L2 sectors"};

struct sums {
    unsigned rows, wrong, known[COUNTERS], missed[COUNTERS];
};

/* card, here: "" where the card was not asked, and where the rule agrees with it. */
static void compare(const char *pattern, const char *card, const char *here, unsigned counter, unsigned cost,
                    struct sums *sums) {
    sums->known[counter] += *card != '\0';
    sums->missed[counter] += *here != '\0';
    const char *expected = *here ? here : card;
    if (!*expected || cost == strtoul(expected, NULL, 10))
        return;
    sums->wrong++;
    print_error("%s: %u %s; expected %s\n", pattern, cost, names[counter], expected);
}

static void check_row(char *row, struct sums *sums) {
    char *at = row, *fields[2 + 2 * COUNTERS];
    for (unsigned i = 0; i < 2 + 2 * COUNTERS; i++)
        fields[i] = next_field(&at);
    uint64_t to[COST_LANES], from[COST_LANES];
    read_offsets(at, to, from);
    const struct cost_copy cost = cost_copy(to, from, (uint32_t)strtoul(fields[1], NULL, 16));
    const unsigned costs[COUNTERS] = {cost.shared.wavefronts, cost.sectors, cost.l2_sectors};
    for (unsigned i = 0; i < COUNTERS; i++)
        compare(fields[0], fields[2 + i], fields[2 + COUNTERS + i], i, costs[i], sums);
    sums->rows++;
}

static void every_pattern_costs_what_the_card_says(void **unused) {
    (void)unused;
    FILE *file = fopen(COPY_CASES, "r");
    assert_non_null(file);
    char row[1024];
    struct sums sums = {0};
    while (fgets(row, sizeof row, file))
        if (*row == '"')
            check_row(row, &sums);
    fclose(file);
    assert_int_equal(sums.wrong, 0);
    assert_int_equal(sums.rows, 389);
    const unsigned known[COUNTERS] = {198, 389, 262}, missed[COUNTERS] = {3, 1, 0};
    assert_memory_equal(sums.known, known, sizeof known);
    assert_memory_equal(sums.missed, missed, sizeof missed);
}

/* Rows of `chunks` times 16 bytes, `pad` chunks between them in shared memory; xor: the chunk is XORed with the row
 * modulo 8, or with half of it modulo 4. filled: of every other chunk, zeros. What the card said of one tile:
 * smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts, l1tex__t_sectors_pipe_lsu_mem_global_op_ld and
 * l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld. */
static const struct tile {
    unsigned rows, chunks, pad, xor;
    bool filled;
    unsigned wavefronts, sectors, l2_sectors;
} tiles[] = {
    {128, 8, 0, 0, false, 128, 512, 512},   {128, 8, 1, 0, false, 336, 576, 768},
    {128, 8, 2, 0, false, 224, 512, 512},   {128, 8, 0, 1, false, 128, 512, 512},
    {64, 32, 0, 0, false, 256, 1024, 1024}, {64, 32, 1, 0, false, 672, 1152, 1536},
    {64, 32, 0, 1, false, 256, 1024, 1024}, {32, 16, 1, 0, false, 168, 288, 384},
    {32, 16, 0, 1, false, 64, 256, 256},    {128, 4, 0, 0, false, 128, 256, 256},
    {128, 4, 1, 0, false, 240, 320, 384},   {128, 4, 0, 2, false, 128, 256, 256},
    {128, 8, 0, 0, true, 256, 512, 512},
};

static unsigned permuted(const struct tile *t, unsigned row, unsigned column) {
    return t->xor == 1 ? column ^ row % 8 : t->xor == 2 ? column ^ row / 2 % 4 : column;
}

static void check_tile(const struct tile *t) {
    enum { ROW_PITCH = 8192 };
    unsigned wavefronts = 0, sectors = 0, l2_sectors = 0;
    for (unsigned first = 0; first < t->rows * t->chunks; first += COST_LANES) {
        uint64_t to[COST_LANES], from[COST_LANES];
        for (unsigned lane = 0; lane < COST_LANES; lane++) {
            const unsigned row = (first + lane) / t->chunks, column = (first + lane) % t->chunks;
            to[lane] = SHARED_BASE + CHUNK * (row * (t->chunks + t->pad) + permuted(t, row, column));
            from[lane] = t->filled && column % 2 ? 0 : GLOBAL_BASE + row * ROW_PITCH + CHUNK * column;
        }
        const struct cost_copy cost = cost_copy(to, from, UINT32_MAX);
        wavefronts += cost.shared.wavefronts, sectors += cost.sectors, l2_sectors += cost.l2_sectors;
    }
    if (wavefronts != t->wavefronts || sectors != t->sectors || l2_sectors != t->l2_sectors)
        fail_msg("%u rows of %u chunks, pad %u, xor %u: %u wavefronts, %u sectors, %u of L2; the card has %u, %u, %u",
                 t->rows, t->chunks, t->pad, t->xor, wavefronts, sectors, l2_sectors, t->wavefronts, t->sectors,
                 t->l2_sectors);
}

static void every_tile_costs_what_the_card_says(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        check_tile(&tiles[i]);
}

/* A wavefront for 128 bytes that arrive: what there is beyond are conflicts. */
static void wavefronts_without_conflicts(void **unused) {
    (void)unused;
    uint64_t line[COST_LANES], one[COST_LANES];
    for (unsigned lane = 0; lane < COST_LANES; lane++)
        line[lane] = SHARED_BASE + CHUNK * lane, one[lane] = SHARED_BASE;
    struct cost_copy cost = cost_copy(line, line, UINT32_MAX);
    assert_int_equal(cost.shared.wavefronts, 4);
    assert_int_equal(cost.shared.conflict_free, 4);
    cost = cost_copy(line, line, 0x1ff);
    assert_int_equal(cost.shared.wavefronts, 2);
    assert_int_equal(cost.shared.conflict_free, 2);
    cost = cost_copy(one, line, UINT32_MAX);
    assert_int_equal(cost.shared.wavefronts, 1);
    assert_int_equal(cost.shared.conflict_free, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_costs_what_the_card_says),
        cmocka_unit_test(every_tile_costs_what_the_card_says),
        cmocka_unit_test(wavefronts_without_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

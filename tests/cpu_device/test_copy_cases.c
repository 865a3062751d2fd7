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

/* Which chunks are filled with zeros. */
enum fill { NONE, ODD_CHUNKS, ODD_ROWS, RIGHT_HALF, ALL, ROW_3_OF_4 };

/* Rows of `chunks` times 16 bytes, `pad` chunks between them in shared memory and `pitch` bytes from one to the next in
 * global memory; xor: the chunk is XORed with the row modulo 8, or with half of it modulo 4. What the card said of 8
 * tiles, one to the right of the other: smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts,
 * l1tex__t_sectors_pipe_lsu_mem_global_op_ld and l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld. */
static const struct tile {
    unsigned rows, chunks, pad, xor, pitch;
    enum fill fill;
    unsigned wavefronts, sectors, l2_sectors;
} tiles[] = {
    {128, 8, 0, 0, 8192, NONE, 1024, 4096, 4096},
    {128, 8, 1, 0, 8192, NONE, 2688, 4608, 6144},
    {128, 8, 2, 0, 8192, NONE, 1792, 4096, 4096},
    {128, 8, 0, 1, 8192, NONE, 1024, 4096, 4096},
    {64, 32, 0, 0, 8192, NONE, 2048, 8192, 8192},
    {64, 32, 1, 0, 8192, NONE, 5376, 9216, 12288},
    {64, 32, 0, 1, 8192, NONE, 2048, 8192, 8192},
    {32, 16, 1, 0, 8192, NONE, 1344, 2304, 3072},
    {32, 16, 0, 1, 8192, NONE, 512, 2048, 2048},
    {128, 4, 0, 0, 8192, NONE, 1024, 2048, 2048},
    {128, 4, 1, 0, 8192, NONE, 1920, 2560, 3072},
    {128, 4, 0, 2, 8192, NONE, 1024, 2048, 2048},
    {128, 8, 0, 0, 8192, ODD_CHUNKS, 2048, 4096, 4096},
    {128, 8, 0, 0, 8192, ODD_ROWS, 1536, 2048, 2048},
    {128, 8, 0, 0, 8192, RIGHT_HALF, 2048, 2048, 2048},
    {128, 8, 0, 0, 8192, ALL, 1024, 0, 0},
    {128, 8, 0, 0, 8192, ROW_3_OF_4, 1792, 3072, 3072},
    {128, 8, 1, 0, 8192, ODD_CHUNKS, 2816, 4096, 4096},
    {128, 8, 1, 0, 8192, ODD_ROWS, 1920, 2048, 2048},
    {128, 8, 1, 0, 8192, RIGHT_HALF, 2944, 2560, 3072},
    {128, 8, 1, 0, 8192, ALL, 1024, 0, 0},
    {128, 8, 1, 0, 8192, ROW_3_OF_4, 2816, 3328, 4096},
    {128, 8, 0, 1, 8192, ODD_CHUNKS, 2048, 4096, 4096},
    {128, 8, 0, 1, 8192, RIGHT_HALF, 2048, 2048, 2048},
    {128, 8, 0, 1, 8192, ALL, 1024, 0, 0},
    {128, 8, 0, 1, 8192, ROW_3_OF_4, 1792, 3072, 3072},
    {128, 4, 1, 0, 8192, ODD_ROWS, 1664, 1024, 1024},
    {128, 1, 0, 0, 8192, NONE, 1024, 1024, 1024},
    {128, 1, 1, 0, 8192, NONE, 1024, 1024, 1024},
    {128, 2, 0, 0, 8192, NONE, 1024, 1024, 1024},
    {128, 2, 1, 0, 8192, NONE, 1536, 1536, 1536},
    {128, 2, 2, 0, 8192, NONE, 1024, 1024, 1024},
    {128, 3, 0, 0, 8192, NONE, 2272, 2176, 2560},
    {128, 3, 1, 0, 8192, NONE, 2216, 2204, 2576},
    {128, 3, 5, 0, 8192, NONE, 2216, 2204, 2576},
    {128, 5, 0, 0, 8192, NONE, 2944, 3328, 4096},
    {128, 6, 1, 0, 8192, NONE, 3024, 3888, 4608},
    {128, 7, 0, 0, 8192, NONE, 3616, 4480, 5632},
    {128, 8, 3, 0, 8192, NONE, 2688, 4608, 6144},
    {128, 8, 4, 0, 8192, NONE, 1536, 4096, 4096},
    {128, 16, 2, 0, 8192, NONE, 3584, 8192, 8192},
    {64, 32, 3, 0, 8192, NONE, 5376, 9216, 12288},
    {128, 4, 2, 0, 8192, NONE, 1280, 2048, 2048},
    {128, 4, 4, 0, 8192, NONE, 1024, 2048, 2048},
    {128, 4, 0, 0, 1040, NONE, 1920, 2304, 3072},
    {128, 8, 0, 0, 1040, NONE, 2688, 4608, 6144},
    {128, 8, 1, 0, 1040, NONE, 2688, 4608, 4608},
    {128, 8, 1, 0, 1072, NONE, 3200, 4608, 4608},
};

/* The card has 2496 wavefronts. */
static const struct tile missed = {128, 4, 1, 0, 8192, RIGHT_HALF, 2560, 1536, 1536};

static bool is_filled(enum fill fill, const struct tile *t, unsigned row, unsigned column) {
    switch (fill) {
    case ODD_CHUNKS:
        return column % 2;
    case ODD_ROWS:
        return row % 2;
    case RIGHT_HALF:
        return column >= t->chunks / 2;
    case ROW_3_OF_4:
        return row % 4 == 3;
    default:
        return fill == ALL;
    }
}

static unsigned permuted(const struct tile *t, unsigned row, unsigned column) {
    return t->xor == 1 ? column ^ row % 8 : t->xor == 2 ? column ^ row / 2 % 4 : column;
}

static void check_tile(const struct tile *t) {
    enum { TILES = 8 };
    unsigned wavefronts = 0, sectors = 0, l2_sectors = 0;
    for (unsigned first = 0; first < TILES * t->rows * t->chunks; first += COST_LANES) {
        const unsigned tile = first / (t->rows * t->chunks), in_tile = first % (t->rows * t->chunks);
        uint64_t to[COST_LANES], from[COST_LANES];
        for (unsigned lane = 0; lane < COST_LANES; lane++) {
            const unsigned row = (in_tile + lane) / t->chunks, column = (in_tile + lane) % t->chunks;
            const uint64_t source = GLOBAL_BASE + row * t->pitch + CHUNK * (tile * t->chunks + column);
            to[lane] = SHARED_BASE + CHUNK * (row * (t->chunks + t->pad) + permuted(t, row, column));
            from[lane] = is_filled(t->fill, t, row, column) ? 0 : source;
        }
        const struct cost_copy cost = cost_copy(to, from, UINT32_MAX);
        wavefronts += cost.shared.wavefronts, sectors += cost.sectors, l2_sectors += cost.l2_sectors;
    }
    if (wavefronts != t->wavefronts || sectors != t->sectors || l2_sectors != t->l2_sectors)
        fail_msg("%u rows of %u chunks, pad %u, xor %u, fill %d: %u wavefronts, %u sectors, %u of L2; the card has %u, "
                 "%u, %u",
                 t->rows, t->chunks, t->pad, t->xor, t->fill, wavefronts, sectors, l2_sectors, t->wavefronts,
                 t->sectors, t->l2_sectors);
}

static void every_tile_costs_what_the_card_says(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        check_tile(&tiles[i]);
    check_tile(&missed);
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

#include "grade_scheme.h"

#include <math.h>
#include <string.h>

/* ---- Tests of the result: 60 points -------------------------------------------------------------------------------
 *
 * Small products from tests/stages/shapes.txt, those that find most. The driver fills C with NaN where beta is 0, and
 * puts guard bands around all matrices.
 */

const grade_test grade_tests[] = {
    {"values", 10, GRADE_VALUES, {"--m 128 --n 128 --k 64"}},
    {"ragged shapes",
     12,
     GRADE_VALUES,
     {"--m 129 --n 257 --k 65",                /* one more than whole tiles, in each direction */
      "--m 65 --n 17 --k 300 --init integers", /* K beyond N, and exact */
      "--m 130 --n 260 --k 68",                /* rows that start on 16 bytes, beside tiles that are not whole */
      "--m 64 --n 128 --k 63 --lda 64"}},      /* one short of a whole tile: the gap of A holds NaN */
    {"alpha, beta, lda",
     10,
     GRADE_VALUES,
     {"--m 65 --n 17 --k 300 --alpha 0.5 --beta 2 --lda 303 --ldb 20 --ldc 29",
      "--m 150 --n 140 --k 70 --beta 0.5 --lda 71 --ldb 143 --ldc 149",
      "--m 33 --n 65 --k 40 --alpha 0 --beta 1.5 --poke A:0:0:nan --poke B:0:0:inf", /* must read neither A nor B */
      "--m 8 --n 8 --k 0 --beta 2", "--m 64 --n 128 --k 32 --ldc 132 --beta 1"}},
    {"NaN and infinity",
     8,
     GRADE_VALUES,
     {"--m 65 --n 67 --k 33 --poke A:64:32:nan", "--m 65 --n 67 --k 33 --poke B:32:66:inf",
      "--m 128 --n 128 --k 64 --poke A:64:32:nan", "--m 65 --n 67 --k 33 --init zeros --poke B:32:66:inf"}},
    {"half inputs",
     8,
     GRADE_VALUES,
     {"--m 129 --n 257 --k 65 --dtype f16", "--m 64 --n 128 --k 64 --dtype f16",
      "--m 16 --n 16 --k 4096 --init ones --dtype f16"}}, /* sums in half would stop at 2048 */
    {"checks", 12, GRADE_CHECKS, {"--m 129 --n 257 --k 65", "--m 128 --n 128 --k 64 --beta 1"}},
};
const size_t grade_test_count = sizeof grade_tests / sizeof grade_tests[0];

/* ---- Goals: 40 points ---------------------------------------------------------------------------------------------
 */

/* A multiple of every stage's tile, so that no border is among the counts. */
const char *const grade_goal_run = "--m 256 --n 256 --k 64";
const double grade_goal_flops = 2.0 * 256 * 256 * 64;

static double total(const count_list *list, const char *counter) {
    double sum = 0;
    for (size_t i = 0; i < list->count; ++i)
        if (strcmp(list->rows[i].counter, counter) == 0)
            sum += list->rows[i].value;
    return sum;
}

/* The source line with most of a counter, " (most in kernel.cu:57)"; "" when there is none. */
typedef struct place {
    char text[160];
} place;

static place place_of(const count_list *list, double (*amount)(const count_row *row)) {
    const count_row *most = NULL;
    for (size_t i = 0; i < list->count; ++i)
        if (list->rows[i].line > 0 && amount(&list->rows[i]) > (most ? amount(most) : 0))
            most = &list->rows[i];
    place p = {""};
    if (most)
        snprintf(p.text, sizeof p.text, " (most in %.100s:%u)", most->source, most->line);
    return p;
}

static double amount_of(const count_row *row, const char *counter) {
    return strcmp(row->counter, counter) == 0 ? row->value : 0;
}
static double load_sectors(const count_row *row) { return amount_of(row, "global_load_sectors"); }
static double store_sectors(const count_row *row) { return amount_of(row, "global_store_sectors"); }
static double shared_loads(const count_row *row) { return amount_of(row, "shared_load_requests"); }
static double global_loads(const count_row *row) { return amount_of(row, "global_load_requests"); }

/* Of a pair of elements one lane multiplies, all 32 want the same of A, one sector, and neighbours of B, 128 bytes in
 * four sectors: 2.5 on the average. */
static char *missing_coalesced_loads(const count_list *own, const count_list *reference) {
    (void)reference;
    const double requests = total(own, "global_load_requests"), sectors = total(own, "global_load_sectors");
    if (requests > 0 && sectors <= 2.5 * requests)
        return NULL;
    return text_format("a load of a warp takes %.3g sectors of 32 bytes on the average, and 2.5 are enough: one of A, "
                       "whose element all lanes share, and four of B%s; let threadIdx.x run along a row of C",
                       requests > 0 ? sectors / requests : 0, place_of(own, load_sectors).text);
}

static char *missing_coalesced_stores(const count_list *own, const count_list *reference) {
    (void)reference;
    const double requests = total(own, "global_store_requests"), sectors = total(own, "global_store_sectors");
    if (requests > 0 && sectors <= 4 * requests)
        return NULL;
    return text_format(
        "a store of a warp takes %.3g sectors of 32 bytes on the average, and 32 neighbours of a row of C "
        "are four%s",
        requests > 0 ? sectors / requests : 0, place_of(own, store_sectors).text);
}

static char *missing_quarter_of_sectors(const count_list *own, const count_list *reference) {
    const double sectors = total(own, "global_load_sectors"), naive = total(reference, "global_load_sectors");
    if (sectors > 0 && sectors <= naive / 4)
        return NULL;
    return text_format("%.0f sectors of global memory are loaded, 01's kernel loads %.0f, and the goal is a quarter of "
                       "that, %.0f%s; let the block fetch each piece of A and B once into shared memory",
                       sectors, naive, naive / 4, place_of(own, load_sectors).text);
}

static char *missing_sharing(const count_list *own, const count_list *reference) {
    (void)reference;
    const double shared = total(own, "shared_load_bytes"), global = total(own, "global_load_bytes");
    if (shared > global)
        return NULL;
    return text_format("%.0f bytes are read from shared memory and %.0f from global memory; the products are to be "
                       "formed out of shared memory, where every number is used many times",
                       shared, global);
}

static char *missing_share_of_requests(const count_list *own, const count_list *reference, int divisor,
                                       const char *share, const char *advice) {
    const double requests = total(own, "shared_load_requests"), tile32 = total(reference, "shared_load_requests");
    const double products = grade_goal_flops / 2;
    if (requests > 0 && requests <= tile32 / divisor)
        return NULL;
    return text_format("%.3g requests to shared memory for 32 multiply-adds, and tile32 of 02 has %.3g; the goal is %s "
                       "of that, %.3g%s; %s",
                       32 * requests / products, 32 * tile32 / products, share, 32 * tile32 / products / divisor,
                       place_of(own, shared_loads).text, advice);
}

static char *missing_quarter_of_requests(const count_list *own, const count_list *reference) {
    return missing_share_of_requests(own, reference, 4, "a quarter",
                                     "load TM values of A and TN of B into registers, and multiply each with each");
}

static char *missing_eighth_of_requests(const count_list *own, const count_list *reference) {
    return missing_share_of_requests(own, reference, 8, "an eighth",
                                     "a tile of 8 x 8 elements a thread needs 16 loads for 64 multiply-adds");
}

static double conflicts_of(const count_row *row) {
    static const char *const plus[] = {"shared_load_wavefronts", "shared_store_wavefronts"},
                             *const minus[] = {"shared_load_conflict_free_wavefronts",
                                               "shared_store_conflict_free_wavefronts"};
    double sum = 0;
    for (size_t i = 0; i < 2; ++i)
        sum += amount_of(row, plus[i]) - amount_of(row, minus[i]);
    return sum;
}

/* Wavefronts of a line beyond those of its requests without conflicts; the two are rows of their own. */
static double line_conflicts(const count_list *list, const count_row *row) {
    double sum = 0;
    for (size_t i = 0; i < list->count; ++i)
        if (list->rows[i].line == row->line && strcmp(list->rows[i].source, row->source) == 0)
            sum += conflicts_of(&list->rows[i]);
    return sum;
}

static char *missing_freedom_of_conflicts(const count_list *own, const count_list *reference) {
    (void)reference;
    double sum = 0, worst = 0;
    const count_row *where = NULL;
    for (size_t i = 0; i < own->count; ++i) {
        sum += conflicts_of(&own->rows[i]);
        const double here = own->rows[i].line > 0 ? line_conflicts(own, &own->rows[i]) : 0;
        if (here > worst) {
            worst = here;
            where = &own->rows[i];
        }
    }
    if (sum == 0 && total(own, "shared_load_requests") > 0)
        return NULL;
    if (!where)
        return text_format("shared memory is not used, so nothing can be said of its banks");
    return text_format("%.0f wavefronts of shared memory are bank conflicts, most in %.100s:%u; widen the rows of the "
                       "array (PAD) until the lanes of a warp meet 32 different banks",
                       sum, where->source, where->line);
}

static char *missing_wide_loads(const count_list *own, const count_list *reference) {
    (void)reference;
    const double lanes = total(own, "global_load_lanes"), bytes = total(own, "global_load_bytes");
    if (lanes > 0 && bytes == 16 * lanes)
        return NULL;
    return text_format(
        "a lane loads %.3g bytes of A and B at once on the average, and the goal is 16 everywhere but at "
        "the border%s; load4() does it",
        lanes > 0 ? bytes / lanes : 0, place_of(own, global_loads).text);
}

static char *missing_short_loads(const count_list *own, const count_list *reference) {
    (void)reference;
    const double requests = total(own, "shared_load_requests"), lanes = total(own, "shared_load_lanes"),
                 bytes = total(own, "shared_load_bytes"), wavefronts = total(own, "shared_load_wavefronts");
    if (requests > 0 && bytes == 16 * lanes && wavefronts <= 2 * requests)
        return NULL;
    return text_format(
        "a load from shared memory brings a lane %.3g bytes in %.3g wavefronts on the average, and the goal "
        "is 16 bytes in 2%s; transpose As, load by load4(), and pair the lanes",
        lanes > 0 ? bytes / lanes : 0, requests > 0 ? wavefronts / requests : 0, place_of(own, shared_loads).text);
}

/* ---- The stages ----
 *
 * Goals that the kernel of the stage before already reaches are none: tests/tool/test_grade.sh marks each stage's
 * kernel as the next one's.
 */

const grade_scheme grade_schemes[] = {
    {"01_naive",
     "coalesced",
     "naive_coalesced",
     NULL,
     NULL,
     false,
     {{"loads: 2.5 sectors", 20, missing_coalesced_loads}, {"stores: 4 sectors", 20, missing_coalesced_stores}}},
    {"02_tiling",
     "tile64",
     "tiling_64",
     "01_naive",
     "coalesced",
     true,
     {{"sectors: 1/4 of 01", 30, missing_quarter_of_sectors}, {"out of shared memory", 10, missing_sharing}}},
    {"03_register_cache",
     "8x8",
     "register_cache_8x8",
     "02_tiling",
     "tile32",
     true,
     {{"shared loads: 1/4", 15, missing_quarter_of_requests}, {"shared loads: 1/8", 25, missing_eighth_of_requests}}},
    {"04_bank_padding",
     "pad4",
     "bank_padding_pad4",
     NULL,
     NULL,
     true,
     {{"no bank conflicts", 15, missing_freedom_of_conflicts},
      {"global loads: 16 bytes", 10, missing_wide_loads},
      {"shared loads: 2 wavefronts", 15, missing_short_loads}}},
};
const size_t grade_scheme_count = sizeof grade_schemes / sizeof grade_schemes[0];

const grade_scheme *grade_scheme_find(const char *stage) {
    for (size_t i = 0; i < grade_scheme_count; ++i)
        if (strcmp(grade_schemes[i].stage, stage) == 0)
            return &grade_schemes[i];
    return NULL;
}

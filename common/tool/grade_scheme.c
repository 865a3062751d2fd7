#include "grade_scheme.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tests of the result: 60 points -------------------------------------------------------------------------------
 *
 * Small products from tests/stages/shapes.txt, those that find most. The driver fills C with NaN where beta is 0, and
 * puts guard bands around all matrices. Without --dtype it takes the stage's own type: float up to 04, half from 05 on.
 *
 * One mistake is to cost points in one row. Whole tiles, multiples of 128, are therefore used wherever shapes are not
 * the point, and SMALL_BETA wherever beta is not: C then holds numbers instead of NaN, and adds less than a float can
 * show to sums of about 1 (alpha * sum + beta * C is formed in float for half results, too). A kernel that forgets
 * beta, or multiplies NaN by a beta of 0, is right there.
 */

#define SMALL_BETA " --beta 1e-30"
#define TILE "--m 128 --n 128 --k 64"
#define STRIPS "--m 2304 --n 512 --k 64"

/* Rows that all stages have. A kernel that forgets alpha fails at two of ALPHA_BETA, one that forgets beta at two, and
 * one that reads C though beta is 0 at two. */
#define ALPHA_BETA                                                                                                     \
    {                                                                                                                  \
        .id = "alpha-beta", .name = "alpha, beta", .points = 12, .simpler = "without alpha and beta", .runs = {        \
            {TILE " --alpha 0.5" SMALL_BETA, false},                                                                   \
            {TILE " --alpha -2" SMALL_BETA, false},                                                                    \
            {TILE " --beta 0.5", false},                                                                               \
            {TILE " --alpha 0 --beta 1.5 --poke A:0:0:nan --poke B:0:0:inf", false}, /* must read neither A nor B */   \
            {TILE " --alpha 0 --beta 0 --poke A:0:0:nan --poke B:0:0:inf", false},                                     \
            {"--m 128 --n 128 --k 0 --beta 0", false}                                                                  \
        }                                                                                                              \
    }
#define NAN_AND_INFINITY                                                                                               \
    {                                                                                                                  \
        .id = "nan", .name = "NaN and infinity", .points = 4, .simpler = "without NaN", .runs = {                      \
            {TILE " --poke A:64:32:nan" SMALL_BETA, false},                                                            \
            {TILE " --poke B:32:66:inf" SMALL_BETA, false},                                                            \
            {TILE " --poke A:127:63:nan" SMALL_BETA, false},                                                           \
            {TILE " --init zeros --poke B:32:66:inf" SMALL_BETA, false}                                                \
        }                                                                                                              \
    } /* 0 * inf is NaN */

/* What a test is called and worth, whatever the type of its products. */
#define VALUES .id = "values", .name = "values", .points = 8, .proves = true
#define VARIANTS .id = "variants", .name = "all variants", .points = 6, .simpler = "in the marked kernel"
#define RAGGED .id = "ragged", .name = "ragged shapes", .points = 12
#define LEADING_DIMENSIONS                                                                                             \
    .id = "leading-dimensions", .name = "lda, ldb, ldc", .points = 4, .simpler = "without gaps between the rows"
#define CHECKS .id = "checks", .name = "checks", .points = 8, .kind = GRADE_CHECKS

static const grade_test float_tests[GRADE_TESTS] = {
    {VALUES, .runs = {{"--m 256 --n 256 --k 64" SMALL_BETA, false}}},
    {VARIANTS, .runs = {{"--m 256 --n 256 --k 64" SMALL_BETA, true}}}, /* 256: the tile of 03's largest */
    {RAGGED,
     .runs = {{"--m 129 --n 257 --k 65", false},                           /* one more than whole tiles everywhere */
              {"--m 65 --n 17 --k 300 --init integers" SMALL_BETA, false}, /* K beyond N, and exact */
              {"--m 130 --n 260 --k 68" SMALL_BETA, false},         /* rows from 16 bytes on, beside parts of tiles */
              {"--m 64 --n 128 --k 63 --lda 64" SMALL_BETA, false}, /* one short: the gap of A holds NaN */
              {"--m 65 --n 67 --k 33 --poke A:64:32:nan" SMALL_BETA, false}, /* NaN at the border stays in its row */
              {"--m 131 --n 132 --k 36" SMALL_BETA, true}}},
    ALPHA_BETA,
    {LEADING_DIMENSIONS,
     .runs = {{TILE " --lda 67" SMALL_BETA, false},
              {TILE " --ldb 131" SMALL_BETA, false},
              {TILE " --ldc 133" SMALL_BETA, false},
              {TILE " --lda 68 --ldb 132 --ldc 136" SMALL_BETA, false}}}, /* rows from 16 bytes on */
    NAN_AND_INFINITY,
    {.id = "half",
     .name = "half inputs",
     .points = 6,
     .proves = true,
     .runs = {{"--m 128 --n 256 --k 64 --dtype f16" SMALL_BETA, false},
              {"--m 256 --n 128 --k 128 --dtype f16" SMALL_BETA, false},
              /* sums in half would stop at 2048 */
              {"--m 128 --n 128 --k 2176 --init ones --dtype f16" SMALL_BETA, false}}},
    /* Gaps between the rows, so that a place outside a matrix is named by its own row and column. */
    {CHECKS, .runs = {{"--m 128 --n 128 --k 64 --lda 68 --ldb 132 --ldc 136", false},
                      {"--m 129 --n 257 --k 65 --lda 67 --ldb 260 --ldc 259 --beta 1", false}}},
};

/* From 05 on kernels copy chunks of eight halves in steps of 64 along K, and have a slow way for rows that do not start
 * on 16 bytes, and for the end of K. K of 320 is five steps: more than a ring has places. Which block has which tile
 * shows where there are several down and across, and more rows of them than 07 takes for a strip, 18 of 128: wrong
 * there is wrong, and no matter of shapes. */
static const grade_test half_tests[GRADE_TESTS] = {
    {VALUES, .runs = {{"--m 256 --n 512 --k 320" SMALL_BETA, false}, {STRIPS SMALL_BETA, false}}},
    {VARIANTS, .runs = {{"--m 256 --n 512 --k 320" SMALL_BETA, true}}},
    {RAGGED,
     .runs = {{"--m 129 --n 257 --k 65", false},                           /* one more than whole tiles everywhere */
              {"--m 65 --n 17 --k 300 --init integers" SMALL_BETA, false}, /* K beyond N, and exact */
              {"--m 130 --n 264 --k 328" SMALL_BETA, false},          /* chunks beside parts of tiles, and an end */
              {"--m 64 --n 128 --k 127 --lda 128" SMALL_BETA, false}, /* one short: the gap of A holds NaN */
              {"--m 65 --n 72 --k 72 --poke A:64:32:nan" SMALL_BETA, false}, /* NaN at the border stays in its row */
              {"--m 2056 --n 264 --k 72" SMALL_BETA, false}}}, /* a strip of one row of tiles, and that a part */
    ALPHA_BETA,
    {LEADING_DIMENSIONS,
     .runs = {{TILE " --lda 67" SMALL_BETA, false},
              {TILE " --ldb 131" SMALL_BETA, false},
              {TILE " --ldc 133" SMALL_BETA, false},
              {TILE " --lda 72 --ldb 136 --ldc 136" SMALL_BETA, false}}}, /* rows from 16 bytes on */
    NAN_AND_INFINITY,
    {.id = "bf16",
     .name = "bf16 inputs",
     .points = 6,
     .proves = true,
     .runs = {{"--m 256 --n 512 --k 128 --dtype bf16" SMALL_BETA, false},
              {STRIPS " --dtype bf16" SMALL_BETA, false},
              /* sums in bf16 would stop at 256 */
              {"--m 128 --n 128 --k 2176 --init ones --dtype bf16" SMALL_BETA, false}}},
    {CHECKS, .runs = {{"--m 128 --n 256 --k 320 --lda 328 --ldb 264 --ldc 264", false},
                      {"--m 129 --n 264 --k 200 --lda 208 --ldb 272 --ldc 272 --beta 1", false},
                      {"--m 129 --n 257 --k 65 --lda 67 --ldb 260 --ldc 259 --beta 1", false}}},
};

/* ---- Goals: 40 points ---------------------------------------------------------------------------------------------
 */

/* A multiple of every stage's tile, so that no border is among the counts. In half eight steps along K, so that what
 * happens once, before and behind them, is little of the whole. */
static const grade_product_type of_float = {float_tests, "--m 256 --n 256 --k 64", 2.0 * 256 * 256 * 64};
static const grade_product_type of_half = {half_tests, "--m 256 --n 256 --k 512", 2.0 * 256 * 256 * 512};

static double total(const count_list *list, const char *counter) {
    double sum = 0;
    for (size_t i = 0; i < list->count; ++i)
        if (strcmp(list->rows[i].counter, counter) == 0)
            sum += list->rows[i].value;
    return sum;
}

static double most_of(const count_list *list, const char *counter) {
    double most = 0;
    for (size_t i = 0; i < list->count; ++i)
        if (strcmp(list->rows[i].counter, counter) == 0 && list->rows[i].value > most)
            most = list->rows[i].value;
    return most;
}

/* Over all rows of the row's source line; its counters are rows of their own. 0 for what belongs to no line. */
static double line_total(const count_list *list, const count_row *row, double (*amount)(const count_row *row)) {
    double sum = 0;
    for (size_t i = 0; i < list->count && row->line > 0; ++i)
        if (list->rows[i].line == row->line && strcmp(list->rows[i].source, row->source) == 0)
            sum += amount(&list->rows[i]);
    return sum;
}

/* A row of the source line with most of an amount; NULL when no line has any. */
static const count_row *line_with_most(const count_list *list, double (*amount)(const count_row *row)) {
    const count_row *line = NULL;
    double most = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const double here = line_total(list, &list->rows[i], amount);
        if (here > most) {
            most = here;
            line = &list->rows[i];
        }
    }
    return line;
}

/* That line, " (most in kernel.cu:57)"; "" when there is none. */
typedef struct place {
    char text[160];
} place;

static place place_of(const count_list *list, double (*amount)(const count_row *row)) {
    const count_row *most = line_with_most(list, amount);
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

/* Of a wide piece, so only behind the goal above: 01's kernel loads fewer sectors a request, but all too often. */
static char *missing_loads_along_rows(const count_list *own, const count_list *reference) {
    const double requests = total(own, "global_load_requests"), sectors = total(own, "global_load_sectors");
    char *more = missing_quarter_of_sectors(own, reference);
    if (more) {
        free(more);
        return text_format("looked at when a quarter of the sectors of 01 is enough");
    }
    if (sectors <= 4 * requests)
        return NULL;
    return text_format("a load of a warp takes %.3g sectors of 32 bytes on the average, and 32 neighbours of a row are "
                       "four%s; let threadIdx.x run along a row of A, and of B",
                       sectors / requests, place_of(own, load_sectors).text);
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

/* The kernels of 02 have 1024 threads a block. A multiprocessor's 65536 registers are then at most 64 for each, no room
 * for a tile of 8 x 8. Requests alone do not tell tile128 from a right 4x4, 0.5 for 32 multiply-adds both: the compiler
 * keeps for tile128 what 4x4 keeps by its source, sixteen sums and four values of A and of B. */
enum { MOST_THREADS = 512 };

static char *missing_share_of_requests(const count_list *own, const count_list *reference, int divisor,
                                       const char *share, const char *advice) {
    const double requests = total(own, "shared_load_requests"), tile32 = total(reference, "shared_load_requests");
    const double products = of_float.goal_flops / 2, threads = most_of(own, "threads_per_block");
    if (threads > MOST_THREADS)
        return text_format("a block has %.0f threads, each of which can then have %.0f registers at most, and the goal "
                           "is %d threads: let fewer threads own more of C each",
                           threads, 65536 / threads, MOST_THREADS);
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

/* Wavefronts beyond those without conflicts */
static double conflicts_of(const count_row *row) {
    static const char *const plus[] = {"shared_load_wavefronts", "shared_store_wavefronts"},
                             *const minus[] = {"shared_load_conflict_free_wavefronts",
                                               "shared_store_conflict_free_wavefronts"};
    double sum = 0;
    for (size_t i = 0; i < 2; ++i)
        sum += amount_of(row, plus[i]) - amount_of(row, minus[i]);
    return sum;
}

static char *missing_freedom_by(const char *advice, const count_list *own) {
    const count_row *where = line_with_most(own, conflicts_of);
    double sum = 0;
    for (size_t i = 0; i < own->count; ++i)
        sum += conflicts_of(&own->rows[i]);
    if (sum == 0 && total(own, "shared_load_requests") > 0)
        return NULL;
    if (!where)
        return text_format("shared memory is not used, so nothing can be said of its banks");
    return text_format(
        "%.0f wavefronts of shared memory are bank conflicts, most in %.100s:%u; %s until the lanes of a "
        "warp meet 32 different banks",
        sum, where->source, where->line, advice);
}

static char *missing_freedom_of_conflicts(const count_list *own, const count_list *reference) {
    (void)reference;
    return missing_freedom_by("widen the rows of the array (PAD)", own);
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

/* FP32 cores form alpha * sum + beta * C, and nothing else: less than a 64th of the operations, at this K. */
static char *missing_tensor_cores(const count_list *own, const count_list *reference) {
    (void)reference;
    const double tensor = total(own, "tensor_flops"), fp32 = total(own, "flops");
    if (tensor >= of_half.goal_flops && fp32 <= of_half.goal_flops / 64)
        return NULL;
    return text_format("tensor cores do %.3g operations of the %.3g that this product takes, and FP32 cores %.3g; let "
                       "mma_16x8x16() form all products",
                       tensor, of_half.goal_flops, fp32);
}

static double lane_loads(const count_row *row) {
    return amount_of(row, "shared_load_requests") - amount_of(row, "ldmatrix_requests");
}

/* Lanes themselves load what they send to C: in words or chunks, at most one request for 32 elements. */
static const double MOST_LANE_LOADS = 256.0 * 256 / 32;

static char *missing_ldmatrix(const count_list *own, const count_list *reference) {
    (void)reference;
    const double matrix = total(own, "ldmatrix_requests"), lanes = total(own, "shared_load_requests") - matrix;
    if (matrix > 0 && lanes <= MOST_LANE_LOADS)
        return NULL;
    return text_format("%.0f requests to shared memory are loads by lanes%s and %.0f are ldmatrix; fetch all fragments "
                       "by ldmatrix, which brings four pieces of 8 x 8 at once",
                       lanes, place_of(own, lane_loads).text, matrix);
}

/* 04's kernel has no conflicts in half either, so only behind the goal above. */
static char *missing_free_fragments(const count_list *own, const count_list *reference) {
    char *more = missing_ldmatrix(own, reference);
    if (!more)
        return missing_freedom_of_conflicts(own, reference);
    free(more);
    return text_format("looked at when fragments come by ldmatrix");
}

static double loads_not_async(const count_row *row) {
    return amount_of(row, "global_load_bytes") - amount_of(row, "shared_async_bytes");
}

/* beta is 0 in the goals' product: all that is loaded is A and B. */
static char *missing_async_copies(const count_list *own, const count_list *reference) {
    (void)reference;
    const double async = total(own, "shared_async_bytes"), loads = total(own, "global_load_bytes");
    if (async > 0 && async >= loads)
        return NULL;
    return text_format("%.0f bytes of A and B come by cp.async and %.0f through registers%s; copy all whole pieces by "
                       "cp_async_16()",
                       async, loads - async, place_of(own, loads_not_async).text);
}

/* One for each of the eight pieces, and some before and behind them; 05 has two for each. */
static char *missing_single_barriers(const count_list *own, const count_list *reference) {
    enum { MOST_BARRIERS = 8 + 4 };
    (void)reference;
    const double blocks = total(own, "blocks"), barriers = total(own, "barriers") / (blocks > 0 ? blocks : 1);
    if (barriers > 0 && barriers <= MOST_BARRIERS)
        return NULL;
    return text_format(
        "a block meets %.3g barriers for eight pieces of depth 64, and the goal is %d at most; behind the "
        "one at which a piece is here, the place of the piece before may be filled",
        barriers, MOST_BARRIERS);
}

/* 05's kernel has none either, so only behind the first goal. */
static char *missing_free_pipeline(const count_list *own, const count_list *reference) {
    char *more = missing_async_copies(own, reference);
    if (!more)
        return missing_freedom_of_conflicts(own, reference);
    free(more);
    return text_format("looked at when A and B come by cp.async");
}

static double l2_sectors(const count_row *row) { return amount_of(row, "global_load_l2_sectors"); }
static double copy_wavefronts(const count_row *row) { return amount_of(row, "shared_async_wavefronts"); }

static char *missing_sectors_asked_once(const count_list *own, const count_list *reference) {
    char *more = missing_async_copies(own, reference);
    if (more)
        return more;
    const double sectors = total(own, "global_load_l2_sectors"), needed = total(own, "shared_async_bytes") / 32;
    if (sectors <= needed)
        return NULL;
    return text_format(
        "copies ask L2 for %.0f sectors of 32 bytes, and %.0f are enough%s; rows that are not widened lie "
        "in whole lines of 128 bytes, and no sector is asked for twice",
        sectors, needed, place_of(own, l2_sectors).text);
}

static char *missing_copies_by_lines(const count_list *own, const count_list *reference) {
    (void)reference;
    const double wavefronts = total(own, "shared_async_wavefronts"), lines = total(own, "shared_async_bytes") / 128;
    if (lines > 0 && wavefronts <= lines)
        return NULL;
    return text_format("copies take %.3g wavefronts for each 128 bytes, and one is enough%s; let what comes from one "
                       "line of 128 bytes of global memory go to one line of shared memory",
                       lines > 0 ? wavefronts / lines : 0, place_of(own, copy_wavefronts).text);
}

/* 06's kernel has none either, with its rows widened, so only behind the goals above. */
static char *missing_free_swizzle(const count_list *own, const count_list *reference) {
    char *sectors = missing_sectors_asked_once(own, reference), *lines = missing_copies_by_lines(own, reference);
    const bool both = !sectors && !lines;
    free(sectors);
    free(lines);
    return both
               ? missing_freedom_by("let the chunks of a row change places by XOR, with bits of the row that differ in "
                                    "the eight rows of a piece,",
                                    own)
               : text_format("looked at when copies ask for no sector twice, in a wavefront for each 128 bytes");
}

/* ---- The stages ----
 *
 * Goals that the kernel of the stage before already reaches are none: tests/tool/test_grade.sh marks each stage's
 * kernel as the next one's.
 */

const grade_scheme grade_schemes[] = {
    {.stage = "01_naive",
     .marked = "coalesced",
     .type = &of_float,
     .variants = {{"uncoalesced", "naive_uncoalesced"}, {"coalesced", "naive_coalesced"}},
     .goals = {{"coalesced-loads", "loads: 2.5 sectors", 20, missing_coalesced_loads},
               {"coalesced-stores", "stores: 4 sectors", 20, missing_coalesced_stores}}},
    {.stage = "02_tiling",
     .marked = "tile64",
     .type = &of_float,
     .variants = {{"tile64", "tiling_64"}, {"tile32", "tiling_32"}, {"tile128", "tiling_128"}},
     .reference_stage = "01_naive",
     .reference_kernel = "coalesced",
     .inherits = true,
     .goals = {{"quarter-of-sectors", "sectors: 1/4 of 01", 20, missing_quarter_of_sectors},
               {"loads-along-rows", "loads: 4 sectors", 10, missing_loads_along_rows},
               {"out-of-shared-memory", "out of shared memory", 10, missing_sharing}}},
    {.stage = "03_register_cache",
     .marked = "8x8",
     .type = &of_float,
     .variants = {{"8x8", "register_cache_8x8"}, {"4x4", "register_cache_4x4"}, {"16x16", "register_cache_16x16"}},
     .reference_stage = "02_tiling",
     .reference_kernel = "tile32",
     .inherits = true,
     .goals = {{"quarter-of-requests", "shared loads: 1/4", 25, missing_quarter_of_requests},
               {"eighth-of-requests", "shared loads: 1/8", 15, missing_eighth_of_requests}}},
    {.stage = "04_bank_padding",
     .marked = "pad4",
     .type = &of_float,
     .variants = {{"pad4", "bank_padding_pad4"}, {"pad0", "bank_padding_pad0"}, {"unpaired", "bank_padding_unpaired"}},
     .inherits = true,
     .goals = {{"no-bank-conflicts", "no bank conflicts", 15, missing_freedom_of_conflicts},
               {"wide-global-loads", "global loads: 16 bytes", 10, missing_wide_loads},
               {"short-shared-loads", "shared loads: 2 wavefronts", 15, missing_short_loads}}},
    {.stage = "05_tensorcore",
     .marked = "mma",
     .type = &of_half,
     .variants = {{"mma", "tensorcore_mma"}, {"pad0", "tensorcore_pad0"}},
     .inherits = true,
     .goals = {{"tensor-cores", "on tensor cores", 20, missing_tensor_cores},
               {"ldmatrix", "fragments by ldmatrix", 10, missing_ldmatrix},
               {"no-bank-conflicts", "no bank conflicts", 10, missing_free_fragments}}},
    {.stage = "06_double_buffer",
     .marked = "stages3",
     .type = &of_half,
     .variants = {{"stages3", "double_buffer_stages3"},
                  {"stages2", "double_buffer_stages2"},
                  {"stages4", "double_buffer_stages4"},
                  {"one_step", "double_buffer_one_step"}},
     .inherits = true,
     .goals = {{"asynchronous-copies", "copies by cp.async", 20, missing_async_copies},
               {"single-barriers", "one barrier a piece", 10, missing_single_barriers},
               {"no-bank-conflicts", "no bank conflicts", 10, missing_free_pipeline}}},
    {.stage = "07_swizzle_layout",
     .marked = "swizzle",
     .type = &of_half,
     .variants = {{"swizzle", "swizzle_layout_swizzle"},
                  {"row_by_row", "swizzle_layout_row_by_row"},
                  {"unswizzled", "swizzle_layout_unswizzled"},
                  {"wrong_swizzle", "swizzle_layout_wrong_swizzle"}},
     .inherits = true,
     /* Rows need only not be widened for the first two. */
     .goals = {{"sectors-once", "copies: no sector twice", 12, missing_sectors_asked_once},
               {"copies-by-lines", "copies: 1 wavefront", 8, missing_copies_by_lines},
               {"no-bank-conflicts", "no bank conflicts", 20, missing_free_swizzle}}},
};
const size_t grade_scheme_count = sizeof grade_schemes / sizeof grade_schemes[0];

const grade_scheme *grade_scheme_find(const char *stage) {
    for (size_t i = 0; i < grade_scheme_count; ++i)
        if (strcmp(grade_schemes[i].stage, stage) == 0)
            return &grade_schemes[i];
    return NULL;
}

const grade_variant *grade_marked_variant(const grade_scheme *scheme) {
    const grade_variant *v = scheme->variants;
    while (strcmp(v->name, scheme->marked) != 0)
        ++v;
    return v;
}

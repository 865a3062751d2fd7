/* A row for each access. The formulas are the kernels' subscripts, written out: row * row length + column. Where one
 * stands in a loop the loop's variable is a constant, its first value; -D gives it another. tests/tool/test_banks.c
 * compares declaration, source, uses and the capital constants with the kernels. */
#include "bank_accesses.h"

static const formula_name tile64[] = {{"TILE", 64}, {"BLOCK", 32}, {"BK", 32}, {"k", 0}, {"i", 0}, {"j", 0}, {0}};
static const formula_name tile8x8[] = {{"TILE", 128}, {"BLOCK", 16}, {"BK", 16}, {"k", 0}, {"i", 0}, {"j", 0}, {0}};
static const formula_name pad4[] = {{"BM", 64}, {"BN", 128}, {"BK", 32}, {"PAD", 4}, {"k", 0},
                                    {"i", 0},   {"j", 0},    {"q", 0},   {0}};
static const formula_name pad0[] = {{"BM", 64}, {"BN", 128}, {"BK", 32}, {"PAD", 0}, {"k", 0},
                                    {"i", 0},   {"j", 0},    {"q", 0},   {0}};

#define A_ROWS "As[TILE][BK]"
#define B_ROWS "Bs[BK][TILE]"
#define A_COLUMNS "As[BK][BM + PAD]"
#define B_WIDE "Bs[BK][BN]"

/* 02 and 03 stage alike; what a warp of 32 x 1 or of 16 x 2 threads makes of it is the difference. */
#define STORE_A "As[ty + i * BLOCK][tx]"
#define STORE_A_INDEX "(ty + i * BLOCK) * BK + tx"
#define STORE_B "Bs[ty][tx + j * BLOCK]"
#define STORE_B_INDEX "ty * TILE + tx + j * BLOCK"
#define READ_A "As[ty + i * BLOCK][k]"
#define READ_A_INDEX "(ty + i * BLOCK) * BK + k"
#define READ_B "Bs[k][tx + j * BLOCK]"
#define READ_B_INDEX "k * TILE + tx + j * BLOCK"

/* 04: a lane's place among the 4 x 8 of its warp. */
#define PAIRED_M "(lane & 1) | (lane >> 2 & 1) << 1"
#define PAIRED_N "(lane >> 1 & 1) | lane >> 3 << 1"
#define WARP_M "warp / 2 * 32"
#define WARP_N "warp % 2 * 64"
#define LANE_M "lane_m = PAIRED ? " PAIRED_M " : lane / 8"
#define LANE_N "lane_n = PAIRED ? " PAIRED_N " : lane % 8"
#define M0 "m0 = " WARP_M " + lane_m * 4"
#define N0 "n0 = " WARP_N " + lane_n * 4"
#define READ_AS "As[k][m0 + i * 4]"
#define READ_AS_INDEX(lane_m) "k * (BM + PAD) + " WARP_M " + (" lane_m ") * 4 + i * 4"
#define READ_BS "Bs[k][n0 + j * 8]"
#define READ_BS_INDEX(lane_n) "k * BN + " WARP_N " + (" lane_n ") * 4 + j * 8"
#define STORE_AS "As[t % 2 * 4 + i * 8 + q][t / 2]"
#define STORE_AS_INDEX "(t % 2 * 4 + i * 8 + q) * (BM + PAD) + t / 2"
#define STORE_BS "Bs[warp + j * 4][lane * 4]"
#define STORE_BS_INDEX "(warp + j * 4) * BN + lane * 4"
#define EDGE_AS "As[e % BK][e / BK]"
#define EDGE_AS_INDEX "t % BK * (BM + PAD) + t / BK"
#define EDGE_FIRST "int e = t; e < BM * BK"

#define FLOATS(index_, elements_, constants_, bytes_, x, y, store_)                                                    \
    {                                                                                                                  \
        .index = index_, .elements = elements_, .constants = constants_, .element = 4, .bytes = bytes_, .block_x = x,  \
        .block_y = y, .store = store_                                                                                  \
    }
#define OF_02(index, elements, store) FLOATS(index, elements, tile64, 4, 32, 32, store)
#define OF_03(index, elements, bytes, store) FLOATS(index, elements, tile8x8, bytes, 16, 16, store)
#define OF_04(index, elements, constants, bytes, store) FLOATS(index, elements, constants, bytes, 128, 0, store)

const stage_access stage_accesses[] = {
    {"02_tiling", "tile64", "store_A", A_ROWS, STORE_A, NULL, NULL, "a warp writes one row",
     OF_02(STORE_A_INDEX, "TILE * BK", true)},
    {"02_tiling", "tile64", "store_B", B_ROWS, STORE_B, NULL, NULL, "a warp writes half a row",
     OF_02(STORE_B_INDEX, "BK * TILE", true)},
    {"02_tiling", "tile64", "read_A", A_ROWS, READ_A, NULL, NULL, "all lanes share one word: a broadcast",
     OF_02(READ_A_INDEX, "TILE * BK", false)},
    {"02_tiling", "tile64", "read_B", B_ROWS, READ_B, NULL, NULL, "32 neighbours, a bank each",
     OF_02(READ_B_INDEX, "BK * TILE", false)},

    {"03_register_cache", "8x8", "store_A", A_ROWS, STORE_A, NULL, NULL, "two rows of 16 words lie side by side",
     OF_03(STORE_A_INDEX, "TILE * BK", 4, true)},
    {"03_register_cache", "8x8", "store_B", B_ROWS, STORE_B, NULL, NULL, "two rows 128 words apart meet in 16 banks",
     OF_03(STORE_B_INDEX, "BK * TILE", 4, true)},
    {"03_register_cache", "8x8", "read_A", A_ROWS, READ_A, NULL, NULL, "two rows, a word of each for 16 lanes",
     OF_03(READ_A_INDEX, "TILE * BK", 4, false)},
    {"03_register_cache", "8x8", "read_A4", A_ROWS, READ_A, NULL, NULL, "as nvcc compiles it: four k at once",
     OF_03(READ_A_INDEX, "TILE * BK", 16, false)},
    {"03_register_cache", "8x8", "read_B", B_ROWS, READ_B, NULL, NULL, "16 neighbours, two lanes share each",
     OF_03(READ_B_INDEX, "BK * TILE", 4, false)},

    {"04_bank_padding", "pad4", "store_A", A_COLUMNS, STORE_AS, NULL, NULL, "16 columns, two lanes 16 banks apart",
     OF_04(STORE_AS_INDEX, "BK * (BM + PAD)", pad4, 4, true)},
    {"04_bank_padding", "pad4", "store_B", B_WIDE, STORE_BS, NULL, NULL, "one row: 8 lanes fill the 32 banks",
     OF_04(STORE_BS_INDEX, "BK * BN", pad4, 16, true)},
    {"04_bank_padding", "pad4", "edge_A", A_COLUMNS, EDGE_AS, EDGE_FIRST, NULL, "down a column, at the border of A",
     OF_04(EDGE_AS_INDEX, "BK * (BM + PAD)", pad4, 4, true)},
    {"04_bank_padding", "pad4", "read_A", A_COLUMNS, READ_AS, LANE_M, M0, "lane i and lane i^2 share: half the phases",
     OF_04(READ_AS_INDEX(PAIRED_M), "BK * (BM + PAD)", pad4, 16, false)},
    {"04_bank_padding", "pad4", "read_B", B_WIDE, READ_BS, LANE_N, N0, "lane i and lane i^1 share: half the phases",
     OF_04(READ_BS_INDEX(PAIRED_N), "BK * BN", pad4, 16, false)},
    {"04_bank_padding", "pad0", "store_A", A_COLUMNS, STORE_AS, NULL, NULL, "two lanes of a row of A meet in each bank",
     OF_04(STORE_AS_INDEX, "BK * (BM + PAD)", pad0, 4, true)},
    {"04_bank_padding", "pad0", "edge_A", A_COLUMNS, EDGE_AS, EDGE_FIRST, NULL,
     "down a column: all lanes meet in one bank", OF_04(EDGE_AS_INDEX, "BK * (BM + PAD)", pad0, 4, true)},
    {"04_bank_padding", "unpaired", "read_A", A_COLUMNS, READ_AS, LANE_M, M0, "eight lanes share: half the phases too",
     OF_04(READ_AS_INDEX("lane / 8"), "BK * (BM + PAD)", pad4, 16, false)},
    {"04_bank_padding", "unpaired", "read_B", B_WIDE, READ_BS, LANE_N, N0,
     "no neighbours share: a phase a quarter-warp", OF_04(READ_BS_INDEX("lane % 8"), "BK * BN", pad4, 16, false)},
};
const size_t stage_access_count = sizeof stage_accesses / sizeof stage_accesses[0];

bool access_mentions(const bank_access *access, const char *name) {
    return !bank_name_is_taken(name) &&
           (formula_mentions(access->index, name) || (access->elements && formula_mentions(access->elements, name)));
}

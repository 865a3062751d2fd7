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

/* 05 to 07, at the first of their tiles. LD stands for lda and ldb, which are multiples of 64. */
#define TENSOR_TILE(BN)                                                                                                \
    {"BM", 128}, {"BN", BN}, {"BK", 64}, {"WM", 64}, { "WN", 64 }
#define TENSOR_LOOPS                                                                                                   \
    {"k", 0}, {"i", 0}, { "j", 0 }
static const formula_name mma[] = {TENSOR_TILE(128), {"A_ROWS", 16}, {"B_ROWS", 8}, {"PAD", 8}, TENSOR_LOOPS, {0}};
static const formula_name mma_pad0[] = {TENSOR_TILE(128), {"A_ROWS", 16}, {"B_ROWS", 8}, {"PAD", 0}, TENSOR_LOOPS, {0}};
static const formula_name ring[] = {
    TENSOR_TILE(256), {"A_COPIES", 4}, {"B_COPIES", 8}, {"PAD", 8}, {"LD", 4096}, TENSOR_LOOPS, {0}};
static const formula_name swizzled[] = {TENSOR_TILE(256), {"A_COPIES", 4}, {"B_COPIES", 8},
                                        {"LD", 4096},     TENSOR_LOOPS,    {0}};

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

/* 05 to 07: chunks of eight are stored or copied, and ldmatrix reads them, a row of a piece a lane. */
#define PIECE_PADDED "struct piece { T A[BM][BK + PAD], B[BK][BN + PAD]; }"
#define PIECE "struct piece { T A[BM][BK], B[BK][BN]; }"
#define ALL_OF_A(row) "BM * (" row ")"
#define ALL_OF_B(row) "BK * (" row ")"
#define WM_OF "wm = warp / (BN / WN) * WM"
#define WN_OF "wn = warp % (BN / WN) * WN"
#define ROW_OF_A "(warp / (BN / WN) * WM + i * 16 + lane % 16)"
#define COL_OF_A "k + lane / 16 * 8"
#define ROW_OF_B "(k + lane % 16)"
#define COL_OF_B "warp % (BN / WN) * WN + j * 16 + lane / 16 * 8"
#define READ_PIECE_A "&from.A[i * 16][k] + a_at"
#define READ_PIECE_B "&from.B[k][j * 16] + b_at"
#define A_AT "a_at = ((wm + lane % 16) * (BK + PAD) + lane / 16 * 8) * sizeof(T)"
#define B_AT "b_at = (lane % 16 * (BN + PAD) + wn + lane / 16 * 8) * sizeof(T)"
#define READ_PIECE_A_INDEX ROW_OF_A " * (BK + PAD) + " COL_OF_A
#define READ_PIECE_B_INDEX ROW_OF_B " * (BN + PAD) + " COL_OF_B
#define STORE_PIECE_A "A[t / (BK / 8) + i * A_ROWS]"
#define STORE_PIECE_B "B[t / (BN / 8) + i * B_ROWS]"
#define STORE_PIECE_A_INDEX "(t / (BK / 8) + i * A_ROWS) * (BK + PAD) + t % (BK / 8) * 8"
#define STORE_PIECE_B_INDEX "(t / (BN / 8) + i * B_ROWS) * (BN + PAD) + t % (BN / 8) * 8"
#define COPIED_ROW_OF_A "(t / (BK / 8) + i * (BM / A_COPIES))"
#define COPIED_ROW_OF_B "(t / (BN / 8) + i * (BK / B_COPIES))"
#define COPIED_COL_OF_A "t % (BK / 8) * 8"
#define COPIED_COL_OF_B "t % (BN / 8) * 8"
#define COPY_A "&to.A[row][col]"
#define COPY_B "&to.B[row][col]"
#define COPY_A_USES "row = t / (BK / 8) + i * (BM / A_COPIES), col = t % (BK / 8) * 8"
#define COPY_B_USES "row = t / (BN / 8) + i * (BK / B_COPIES), col = t % (BN / 8) * 8"
#define COPY_A_FROM COPIED_ROW_OF_A " * LD + " COPIED_COL_OF_A
#define COPY_B_FROM COPIED_ROW_OF_B " * LD + " COPIED_COL_OF_B
#define COPY_A_PADDED COPIED_ROW_OF_A " * (BK + PAD) + " COPIED_COL_OF_A
#define COPY_B_PADDED COPIED_ROW_OF_B " * (BN + PAD) + " COPIED_COL_OF_B

/* 07: a chunk's place in its row. */
#define PLACE "SWIZZLE == BY_ROW ? col ^ (row & 7) * 8 : SWIZZLE == BY_EIGHT_ROWS ? col ^ (row & 8) : col"
#define BY_ROW(row, col) "(" col " ^ (" row " & 7) * 8)"
#define BY_EIGHT_ROWS(row, col) "(" col " ^ " row " & 8)"
#define COPY_A_SWIZZLED "&to.A[row][place<SWIZZLE>"
#define COPY_B_SWIZZLED "&to.B[row][place<SWIZZLE>"
#define COPY_A_BY_ROW COPIED_ROW_OF_A " * BK + " BY_ROW(COPIED_ROW_OF_A, COPIED_COL_OF_A)
#define COPY_B_BY_ROW COPIED_ROW_OF_B " * BN + " BY_ROW(COPIED_ROW_OF_B, COPIED_COL_OF_B)
#define READ_SWIZZLED_A "&from.A[i * 16] + a_at[k / 16]"
#define READ_SWIZZLED_B "&from.B[k] + b_at[j]"
#define A_AT_SWIZZLED "((wm + lane % 16) * BK + place<SWIZZLE>(lane % 16, k * 16 + lane / 16 * 8)) * sizeof(T)"
#define B_AT_SWIZZLED "(lane % 16 * BN + place<SWIZZLE>(lane % 16, wn + j * 16 + lane / 16 * 8)) * sizeof(T)"
#define READ_A_IN(place) ROW_OF_A " * BK + " place
#define READ_B_IN(place) ROW_OF_B " * BN + " place

#define FLOATS(index_, elements_, constants_, bytes_, x, y, store_)                                                    \
    {                                                                                                                  \
        .index = index_, .elements = elements_, .constants = constants_, .element = 4, .bytes = bytes_, .block_x = x,  \
        .block_y = y, .store = store_                                                                                  \
    }
#define OF_02(index, elements, store) FLOATS(index, elements, tile64, 4, 32, 32, store)
#define OF_03(index, elements, bytes, store) FLOATS(index, elements, tile8x8, bytes, 16, 16, store)
#define OF_04(index, elements, constants, bytes, store) FLOATS(index, elements, constants, bytes, 128, 0, store)

#define HALVES(index_, elements_, constants_, x)                                                                       \
    .index = index_, .elements = elements_, .constants = constants_, .element = 2, .bytes = 16, .block_x = x
#define CHUNKS_05(index, elements)                                                                                     \
    { HALVES(index, elements, mma, 128), .store = true }
#define MATRICES_05(index, elements, constants)                                                                        \
    { HALVES(index, elements, constants, 128), .matrices = 4 }
#define COPIES(index, elements, constants, from)                                                                       \
    { HALVES(index, elements, constants, 256), .copied_from = from, .store = true }
#define MATRICES(index, elements, constants)                                                                           \
    { HALVES(index, elements, constants, 256), .matrices = 4 }

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

    {"05_tensorcore", "mma", "store_A", PIECE_PADDED, STORE_PIECE_A, "[t % (BK / 8) * 8] = a_copy[i]", NULL,
     "eight lanes write a row", CHUNKS_05(STORE_PIECE_A_INDEX, ALL_OF_A("BK + PAD"))},
    {"05_tensorcore", "mma", "store_B", PIECE_PADDED, STORE_PIECE_B, "[t % (BN / 8) * 8] = b_copy[i]", NULL,
     "sixteen lanes write a row", CHUNKS_05(STORE_PIECE_B_INDEX, ALL_OF_B("BN + PAD"))},
    {"05_tensorcore", "mma", "read_A", PIECE_PADDED, READ_PIECE_A, A_AT, WM_OF, "eight rows, each 4 banks further",
     MATRICES_05(READ_PIECE_A_INDEX, ALL_OF_A("BK + PAD"), mma)},
    {"05_tensorcore", "mma", "read_B", PIECE_PADDED, READ_PIECE_B, B_AT, WN_OF, "eight rows, each 4 banks further",
     MATRICES_05(READ_PIECE_B_INDEX, ALL_OF_B("BN + PAD"), mma)},
    {"05_tensorcore", "pad0", "read_A", PIECE_PADDED, READ_PIECE_A, A_AT, WM_OF, "eight rows meet in 4 banks",
     MATRICES_05(READ_PIECE_A_INDEX, ALL_OF_A("BK + PAD"), mma_pad0)},
    {"05_tensorcore", "pad0", "read_B", PIECE_PADDED, READ_PIECE_B, B_AT, WN_OF, "eight rows meet in 4 banks",
     MATRICES_05(READ_PIECE_B_INDEX, ALL_OF_B("BN + PAD"), mma_pad0)},

    {"06_double_buffer", "stages3", "copy_A", PIECE_PADDED, COPY_A, COPY_A_USES, NULL,
     "padded rows lie across lines of 128", COPIES(COPY_A_PADDED, ALL_OF_A("BK + PAD"), ring, COPY_A_FROM)},
    {"06_double_buffer", "stages3", "copy_B", PIECE_PADDED, COPY_B, COPY_B_USES, NULL,
     "warp 0 has row 0, which begins with a line", COPIES(COPY_B_PADDED, ALL_OF_B("BN + PAD"), ring, COPY_B_FROM)},
    {"06_double_buffer", "stages3", "read_A", PIECE_PADDED, READ_PIECE_A, A_AT, WM_OF,
     "eight rows, each 4 banks further", MATRICES(READ_PIECE_A_INDEX, ALL_OF_A("BK + PAD"), ring)},
    {"06_double_buffer", "stages3", "read_B", PIECE_PADDED, READ_PIECE_B, B_AT, WN_OF,
     "eight rows, each 4 banks further", MATRICES(READ_PIECE_B_INDEX, ALL_OF_B("BN + PAD"), ring)},

    {"07_swizzle_layout", "swizzle", "copy_A", PIECE, COPY_A_SWIZZLED, COPY_A_USES, PLACE,
     "chunks stay in their line of 128 bytes", COPIES(COPY_A_BY_ROW, ALL_OF_A("BK"), swizzled, COPY_A_FROM)},
    {"07_swizzle_layout", "swizzle", "copy_B", PIECE, COPY_B_SWIZZLED, COPY_B_USES, PLACE,
     "chunks stay in their line of 128 bytes", COPIES(COPY_B_BY_ROW, ALL_OF_B("BN"), swizzled, COPY_B_FROM)},
    {"07_swizzle_layout", "swizzle", "read_A", PIECE, READ_SWIZZLED_A, A_AT_SWIZZLED, PLACE,
     "eight rows, each in another place",
     MATRICES(READ_A_IN(BY_ROW("lane % 16", "(" COL_OF_A ")")), ALL_OF_A("BK"), swizzled)},
    {"07_swizzle_layout", "swizzle", "read_B", PIECE, READ_SWIZZLED_B, B_AT_SWIZZLED, PLACE,
     "eight rows, each in another place",
     MATRICES(READ_B_IN(BY_ROW("lane % 16", "(" COL_OF_B ")")), ALL_OF_B("BN"), swizzled)},
    {"07_swizzle_layout", "unswizzled", "read_A", PIECE, READ_SWIZZLED_A, A_AT_SWIZZLED, PLACE,
     "eight rows meet in 4 banks", MATRICES(READ_A_IN(COL_OF_A), ALL_OF_A("BK"), swizzled)},
    {"07_swizzle_layout", "unswizzled", "read_B", PIECE, READ_SWIZZLED_B, B_AT_SWIZZLED, PLACE,
     "eight rows meet in 4 banks", MATRICES(READ_B_IN(COL_OF_B), ALL_OF_B("BN"), swizzled)},
    {"07_swizzle_layout", "wrong_swizzle", "read_A", PIECE, READ_SWIZZLED_A, A_AT_SWIZZLED, PLACE,
     "rows 0 to 7 have one place: they meet",
     MATRICES(READ_A_IN(BY_EIGHT_ROWS("lane % 16", "(" COL_OF_A ")")), ALL_OF_A("BK"), swizzled)},
    {"07_swizzle_layout", "wrong_swizzle", "read_B", PIECE, READ_SWIZZLED_B, B_AT_SWIZZLED, PLACE,
     "rows 0 to 7 have one place: they meet",
     MATRICES(READ_B_IN(BY_EIGHT_ROWS("lane % 16", "(" COL_OF_B ")")), ALL_OF_B("BN"), swizzled)},
};
const size_t stage_access_count = sizeof stage_accesses / sizeof stage_accesses[0];

bool access_mentions(const bank_access *access, const char *name) {
    return !bank_name_is_taken(name) &&
           (formula_mentions(access->index, name) || (access->elements && formula_mentions(access->elements, name)));
}

/* Which lane of a warp wants which word of which of the 32 banks, in which phase. The costs are cost.h's. */
#ifndef TOOL_BANK_PICTURE_H
#define TOOL_BANK_PICTURE_H

#include "../cpu_device/cost.h"
#include "formula.h"

enum { BANKS = 32, BANK_BYTES = 4, MAX_PHASES = 32, MAX_THREADS = 1024 };

/* One access of every lane, as the kernel writes it. Strings are borrowed. */
typedef struct bank_access {
    const char *index;       /* formula of the element at which the access of thread t starts */
    const char *copied_from; /* cp.async: formula of the element of global memory, aligned to 128 bytes at 0; or NULL */
    const char *active;      /* formula of the lanes that take part; NULL: all */
    const char *elements;    /* formula of the array's length; NULL: unknown */
    const formula_name *constants; /* what the formulas may name beside t, lane, warp, tx and ty */
    size_t constant_count;
    unsigned element, bytes;   /* size of an element; what a lane moves: 1, 2, 4, 8 or 16 */
    unsigned matrices;         /* 1, 2 or 4 for ldmatrix, else 0 */
    unsigned block_x, block_y; /* the block's threads; block_y 0: one row, and no names tx and ty */
    bool store;
} bank_access;

typedef struct bank_word {
    uint64_t word;  /* address / 4 */
    uint32_t lanes; /* a bit for each lane that wants it */
} bank_word;

/* Lanes that are served together; of cp.async one wavefront. */
typedef struct bank_phase {
    uint32_t lanes;
    unsigned wavefronts;                /* of the fullest bank */
    unsigned count[BANKS];              /* words wanted of each bank */
    bank_word words[BANKS][COST_LANES]; /* in the order of the lanes */
} bank_phase;

typedef struct bank_picture {
    unsigned warp;
    uint32_t active;
    struct cost_shared cost;
    bool copy;
    unsigned phases;
    bank_phase phase[MAX_PHASES];
} bank_picture;

/* Whether a constant may not have that name, because a thread has it. */
bool bank_name_is_taken(const char *name);

/* Draws the access of one warp. Returns 0, or -1 with a sentence for the user, who gave `index_flag` ("--index", say):
 * a formula that cannot be computed, an address outside the array, a misaligned one, no lane that takes part. */
int bank_draw(const bank_access *access, unsigned warp, const char *index_flag, bank_picture *picture, fault *f);

/* The most words that one bank is asked for in one phase. */
unsigned bank_ways(const bank_picture *picture);

/* "0, 2, 4-7" into a new string that the caller frees. */
char *bank_lanes(uint32_t lanes);

#endif

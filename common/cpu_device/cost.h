/*
 * What the memory system of a GPU charges for one warp-wide access. Pure functions of addresses; the rules were read
 * off an H200 with Nsight Compute, and each row of what it showed is a test (tests/cpu_device/bank_cases.csv).
 *
 * Shared memory has 32 banks of 4 bytes. Lanes that want the same 4-byte word share it for free; different words in one
 * bank wait for each other. A request is served in phases, and a phase takes as many wavefronts as the fullest bank has
 * words:
 *   up to 4 bytes a lane   one phase
 *   8 bytes                two phases of 16 lanes
 *   16 bytes               four phases of 8 lanes
 * and half as many of 8 and 16 bytes when the lanes pair up: when every active lane i has the address of lane i^1, or
 * every one that of lane i^2.
 *
 * Global memory moves in sectors of 32 bytes, L1 looks up lines of 128.
 *
 * cp.async of 16 bytes goes past L1. Its chunks of 16 bytes travel by sectors of 32: a transfer takes from one sector
 * of global memory to one of shared memory, either both halves (straight or swapped) or one half to one half. A
 * wavefront carries the transfers of one kind from one 128-byte line of global memory to one of shared memory, and L2
 * is asked for the sector of each transfer; L1 counts a sector for each pair of a global line and a shared sector. So
 * whole rows of 128 bytes that are aligned alike on both sides, or permuted by XOR, cost a wavefront and 4 sectors
 * each. Rows padded by 16 bytes are shifted against their lines by 0 to 7 chunks in turn, and take 1, 3, 2, 4, 2, 4, 2
 * and 3 wavefronts for 128 bytes, 2.625 on the average; shifted by an odd number they also ask L2 for 8 sectors, not 4.
 * On the way to L2 equal requests that follow each other become one, so that L2 itself may count less.
 */
#ifndef CPU_DEVICE_COST_H
#define CPU_DEVICE_COST_H

#include <stdint.h>

enum { COST_LANES = 32, COST_SECTOR_BYTES = 32, COST_LINE_BYTES = 128 };

struct cost_shared {
    unsigned wavefronts;
    unsigned conflict_free; /* what as many phases would take without conflicts: wavefronts minus this are conflicts */
};

/* The wavefronts of one phase: `count` accesses of `size` bytes (1 to 16) at once. */
unsigned cost_phase(const uint64_t *addresses, unsigned count, unsigned size);

/* How many lanes, one after the other, a phase of such an access takes: 32, 16 or 8. */
unsigned cost_lanes_of_phase(const uint64_t addresses[COST_LANES], uint32_t active, unsigned size);

/* A load or store of `size` bytes (1, 2, 4, 8 or 16) by the lanes in `active`; addresses[lane] of others are ignored.
 */
struct cost_shared cost_shared_access(const uint64_t addresses[COST_LANES], uint32_t active, unsigned size);

/* ldmatrix of 1, 2 or 4 matrices: a phase for each 8 rows of 16 bytes. Lane i of the first 8 * matrices gives row i. */
struct cost_shared cost_ldmatrix(const uint64_t addresses[COST_LANES], unsigned matrices);

struct cost_copy {
    struct cost_shared shared; /* conflict-free: a wavefront for 128 bytes */
    unsigned sectors;          /* of global memory that L1 counts */
    unsigned l2_sectors;       /* asked of L2 */
};

/* cp.async of 16 bytes from `from[lane]` to `to[lane]`; from 0, zeros are filled in. Where one lane has zeros, the
 * whole warp takes the wavefronts of a store besides. Of lanes that copy to one place the last one counts. */
struct cost_copy cost_copy(const uint64_t to[COST_LANES], const uint64_t from[COST_LANES], uint32_t active);

/* Which wavefront carries what each lane copies, none of it zeros: wavefront[lane], counted from 0. Returns how many.
 */
unsigned cost_copy_wavefronts(const uint64_t to[COST_LANES], const uint64_t from[COST_LANES], uint32_t active,
                              unsigned wavefront[COST_LANES]);

struct cost_global {
    unsigned sectors, lines;         /* distinct ones */
    uint64_t sector[2 * COST_LANES]; /* the distinct sectors, as address / 32, ascending */
};

/* A load or store of `size` bytes (1, 2, 4, 8 or 16) from or to global memory. */
void cost_global_access(const uint64_t addresses[COST_LANES], uint32_t active, unsigned size, struct cost_global *cost);

#endif

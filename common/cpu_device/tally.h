/* Sums of counted launches: what OS threads hand in, and what cpu_device_get_counts hands out. */
#ifndef CPU_DEVICE_TALLY_H
#define CPU_DEVICE_TALLY_H

#include "cpu_device/block.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Of one place in the machine code and one kind of access: see struct cpu_device_access_counts. */
struct site_totals {
    uint64_t requests, lanes, bytes, wavefronts, conflict_free, sectors, lines, l2_sectors;
    uint64_t matrix_requests, matrix_wavefronts, flops;
    size_t shared_offset; /* into the program's thread-local data: that of one of the requests */
};

struct tally;

/* The tally of launches under `label` with this kernel, grid and block; NULL when memory ran out. */
struct tally *tally_find(const char *label, const struct cpu_device_launch_config *config);

/* A launch begins and ends; between them OS threads hand in what they have, each under the lock. */
void tally_begin_launch(struct tally *tally);
void tally_end_launch(struct tally *tally, bool failed);

void tally_lock(void);
void tally_unlock(void);
void tally_add_site(struct tally *tally, uint64_t return_address, unsigned space, unsigned operation,
                    const struct site_totals *totals);
/* A static array in shared memory that was touched, or the dynamic window. */
void tally_add_object(struct tally *tally, size_t offset, size_t size);
void tally_add_thread(struct tally *tally, uint64_t barriers, uint64_t block_sectors, uint64_t half_flops,
                      uint64_t tensor_flops);

/* blocks_run[a]: how often lanes ran the basic block with return address a. Clears it. */
void tally_add_blocks(struct tally *tally, uint64_t *blocks_run, size_t size);

/* Stamps other than 0 mark touched sectors. Clears them. */
void tally_add_sectors(struct tally *tally, uint16_t *stamps, size_t first, size_t end);

/* Bytes of the static shared arrays that were touched. */
size_t tally_static_shared(const struct tally *tally);

/* Memory ran out while counting: the counts of this tally are too low. */
void tally_is_incomplete(struct tally *tally);

/* Prints a CSV field: a symbol holds no comma, a launch as it was spelled may. */
void tally_print_field(FILE *out, const char *text);

#endif

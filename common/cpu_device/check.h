/* The checks, as the scheduler and the hooks see them: see cpu_device/checks.h for what is found. */
#ifndef CPU_DEVICE_CHECK_H
#define CPU_DEVICE_CHECK_H

#include "cpu_device/checks.h"
#include "scheduler.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- One launch ---- */

/* Whether launches are checked now. */
bool check_is_on(void);

/* Whether what is found is printed to stderr when a launch ends. */
void check_announce(bool announce);

/* Around the blocks of a checked launch. argument: what its threads read their arguments from. */
void check_begin_launch(const struct cpu_device_launch_config *config, const void *argument, size_t argument_size);
void check_end_launch(const struct cpu_device_launch_config *config);

/* Whether the static arrays, of which so many bytes were touched, fit beside the dynamic shared memory; before
   check_end_launch. */
void check_static_shared(const struct cpu_device_launch_config *config, size_t static_shared);

/* A launch that the hardware would refuse: a sentence that says why. */
__attribute__((format(printf, 2, 3))) void check_refused_launch(const struct cpu_device_launch_config *config,
                                                                const char *format, ...);

/* ---- One OS thread, one block ---- */

/* False, with a sentence on stderr, when there is no memory or the program is too large. */
bool check_begin_thread(struct block *block);
void check_end_thread(void);

void check_begin_block(const struct block *block);
void check_end_block(const struct block *block);

/* The block stops here, before all its threads have done what they would have done up to the next barrier. */
void check_stop_block(void);

void check_enter_thread(unsigned thread);

/* All threads have come to a barrier; those that wait are still marked so. */
void check_barrier(const struct block *block);

/* No thread of the block can go on. `example` waits in a warp function for the lanes in `missing`; NULL: none does. */
void check_deadlock(const struct block *block, const struct cuda_thread *example, uint32_t missing);

/* ---- One access ---- */

/* cp.async is asked for, and arrives. */
void check_async(const void *to, const void *from, unsigned size, unsigned source_size, const void *place);
void check_landing(uintptr_t to, unsigned log2_size, const void *place);

/* A warp function that needs all lanes was called without those in `missing`. */
_Noreturn void check_missing_lanes(uint32_t missing, const void *place);

/* A pointer or leading dimension that is no multiple of what WMMA asks for: a sentence that says so. */
_Noreturn void check_wmma(const char *sentence, const void *place);

/* An index past a dimension of an array, in a kernel. */
_Noreturn void check_index(const char *file, unsigned line, const char *array_type, int64_t index);

/* Called by the hooks before the access; does not return when the thread ends there. operation: of enum
   cpu_device_operation. */
void check_access(uintptr_t address, unsigned operation, unsigned log2_size, const void *place);

#endif

/* What the checks have found: gathered while a launch runs, put into words when it ends. */
#ifndef CPU_DEVICE_FINDING_H
#define CPU_DEVICE_FINDING_H

#include "cpu_device/block.h"
#include "cpu_device/checks.h"

#include <stdbool.h>
#include <stdint.h>

/* In the order in which they are told: first what others may follow from. */
enum finding_kind {
    FINDING_LAUNCH,
    FINDING_DEADLOCK,
    FINDING_DIVERGENT_BARRIER,
    FINDING_ARRAY_BOUNDS,
    FINDING_OUTSIDE_MATRIX,
    FINDING_MUST_NOT_READ,
    FINDING_MISALIGNED,
    FINDING_MISSING_WAIT,
    FINDING_OUT_OF_BOUNDS,
    FINDING_MISSING_LANES, /* behind what ends a thread, and leaves its warp waiting */
    FINDING_UNWRITTEN,
    FINDING_RACE,
    FINDING_UNINITIALISED,
    FINDING_KINDS
};

/* One occurrence. What it says depends on the first one only: that of the smallest block, and in it the smallest
   `order`, which must not depend on the order in which warps run. */
struct finding_hit {
    enum finding_kind kind;
    uint32_t site, other_site; /* return addresses in the program; 0: none */
    const char *file;          /* a path, where the place is known without a site; must outlive the launch */
    unsigned line;
    uint64_t block, order;
};

/* "reads", "writes" or "updates"; operation: of enum cpu_device_operation. */
const char *finding_verb(unsigned operation);

/* Counts an occurrence. True when it is the first one so far, and the caller should tell of it by finding_tell; the
   table is locked until then. */
bool finding_note(const struct finding_hit *hit);

/* "{1}" and "{2}" in the text will become the places of site and other_site, such as "line 57", and "{between}" becomes
   "between line 57 and line 64", or "within line 57, or between two passes of it" if both are there. */
__attribute__((format(printf, 1, 2))) void finding_tell(const char *format, ...);

/* What is found from now on does not add to what was found before, also where it is the same. */
void finding_begin_label(void);

/* Puts what was found in this launch into words. When `announce` is set, prints to stderr what is new. */
void finding_end_launch(const char *label, const char *kernel, bool announce);

#endif

/* What the stages do with shared memory: each access as it stands in the kernel, and as an index formula. */
#ifndef TOOL_BANK_ACCESSES_H
#define TOOL_BANK_ACCESSES_H

#include "bank_picture.h"

typedef struct stage_access {
    const char *stage, *kernel, *name;
    const char *declaration; /* of the array, as in kernel.cu */
    const char *source;      /* the access, as in kernel.cu */
    const char *uses, *from; /* what else of kernel.cu the formula is made of; NULL: nothing */
    const char *see;         /* half a sentence, at most 43 characters, so that a list is 120 wide */
    bank_access access;      /* its constants end with a NULL name; constant_count is not set */
} stage_access;

extern const stage_access stage_accesses[];
extern const size_t stage_access_count;

/* Whether a formula of the access names it, and it is none of the thread's own. */
bool access_mentions(const bank_access *access, const char *name);

#endif

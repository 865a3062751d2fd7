/* What a GPU can do at most: plots/data/ceilings.csv, one bandwidth or speed a row, with its source. */
#ifndef TOOL_CEILINGS_H
#define TOOL_CEILINGS_H

#include "files.h"

typedef struct ceiling {
    const char *gpu;   /* slug; all strings are borrowed from the list */
    bool bandwidth;    /* else a speed */
    const char *level; /* l1, l2, dram; of a speed its unit, fp32 or tensor */
    const char *types; /* "f16 bf16": of the inputs to which it applies */
    double value;      /* TB/s, or TFLOP/s dense with sums in float */
    const char *label, *source;
} ceiling;

typedef struct ceiling_list {
    ceiling *rows;
    size_t count;
    char *text; /* owned; the rows point into it */
} ceiling_list;

/* Returns 0, or -1 with a sentence that names the line. */
int ceilings_read(const char *path, ceiling_list *list, fault *f);
void ceilings_free(ceiling_list *list);

/* Whether the row is about this GPU and this type. */
bool ceiling_applies(const ceiling *c, const char *gpu, const char *dtype);

#endif

/* What a marked file earned. */
#ifndef TOOL_GRADE_SHEET_H
#define TOOL_GRADE_SHEET_H

#include "list.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct grade_line {
    const char *id, *name; /* of the test or goal; borrowed */
    int points, of;
    int right;  /* points before the share of the goals was taken */
    char *help; /* one sentence for points that were lost, or NULL; owned */
} grade_line;

/* One row of the file of findings. All strings point into `fields`. */
typedef struct grade_finding {
    char *fields; /* owned */
    const char *kernel, *kind, *file, *line, *other_file, *other_line, *count, *text;
} grade_finding;

/* How the marking went: GRADE_MARKED, or what first ended a product's run before its result. */
typedef enum { GRADE_MARKED, GRADE_DOES_NOT_COMPILE, GRADE_TIME, GRADE_MEMORY, GRADE_CRASH } grade_status;

enum { GRADE_LINES = 16 }; /* tests and goals of a stage */

typedef struct grade_sheet {
    const char *stage, *file; /* borrowed */
    const char *variant;      /* what was marked, as the driver calls it; borrowed */
    char *function;           /* and its launch function; owned */
    grade_status status;
    double time_limit, product_time_limit; /* seconds */
    size_t memory_limit;                   /* bytes */
    grade_line lines[GRADE_LINES];
    size_t line_count;
    grade_finding *findings; /* owned */
    size_t finding_count;
    char *remark; /* why another function was marked than the stage's main one, or NULL; owned */
    char *note;   /* what holds for several tests, or NULL; owned */
} grade_sheet;

#endif

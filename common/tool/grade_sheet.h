/* What a marked file earned. */
#ifndef TOOL_GRADE_SHEET_H
#define TOOL_GRADE_SHEET_H

#include "list.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct grade_line {
    const char *name; /* of the test or goal; borrowed */
    int points, of;
    char *help; /* one sentence for points that were lost, or NULL; owned */
} grade_line;

/* One row of the file of findings. All strings point into `fields`. */
typedef struct grade_finding {
    char *fields; /* owned */
    const char *kind, *file, *line, *other_file, *other_line, *count, *text;
} grade_finding;

enum { GRADE_LINES = 16 }; /* tests and goals of a stage */

typedef struct grade_sheet {
    const char *stage, *file; /* borrowed */
    grade_line lines[GRADE_LINES];
    size_t line_count;
    grade_finding *findings; /* owned */
    size_t finding_count;
    char *remark; /* which function was marked, where that is not evident, or NULL; owned */
    char *note;   /* what holds for several tests, or NULL; owned */
} grade_sheet;

#endif

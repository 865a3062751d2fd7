/* Counts as tables: what was counted, what binds, and line by line. */
#ifndef TOOL_COUNT_REPORT_H
#define TOOL_COUNT_REPORT_H

#include "compiled.h"
#include "grid.h"
#include "record.h"

/* One row a launch: requests and what each costs. */
void count_report_counts(const count_list *list, grid_format format, FILE *out);

typedef struct count_question {
    const gpu_model *gpu;
    double scale; /* model_launch's */
    const compiled_source *compiled;
    const record_list *recorded; /* measured rows of that GPU; may be empty */
} count_question;

/* One row a launch: time on each resource, which one binds, and what was measured. */
void count_report_limits(const count_list *list, const count_question *question, grid_format format, FILE *out);

/* The lines of one launch, each with its text from `source_file` (NULL: without), or, in a stage, from the file beside
 * it that the line is in. */
void count_report_lines(const count_list *list, const count_row *launch, const char *source_file, FILE *out);

/* The recorded burst row of a launch at `scale` times its size, or NULL. */
const gemm_record *count_measured(const record_list *recorded, const count_row *launch, double scale);

#endif

/* Runs the program that has a reader's kernel, one product at a time, and judges by the files that the driver writes.
 */
#ifndef TOOL_GRADE_RUN_H
#define TOOL_GRADE_RUN_H

#include "grade_scheme.h"
#include "grade_sheet.h"

typedef struct grade_session {
    const tool_context *context;
    const grade_scheme *scheme;
    const char *scratch; /* a directory for files */
    const char *program;
    const char *variant;         /* that is marked */
    const string_list *variants; /* that the file has */
    double time_limit;           /* seconds for all runs together */
    double product_time_limit;   /* seconds that a product may take in any case, while there are so many */
    double spent;                /* of time_limit */
    size_t runs_left;            /* that share the rest, the next one among them */
    size_t memory;               /* bytes for each run */
    bool too_long;               /* the last run did not end in its time */
    grade_status status;
} grade_session;

/* Runs a product. Returns NULL when the result is right, otherwise a sentence that the caller frees. */
char *grade_run(grade_session *s, const grade_product *product);

/* With the checks on; what they find is added to the sheet. Returns NULL when that is nothing, even if the result is
 * wrong. */
char *grade_run_checked(grade_session *s, const grade_product *product, grade_sheet *sheet);

/* While it is counted. Returns NULL with the counts of a launch that came to its end, even if the result is wrong. */
char *grade_run_counted(grade_session *s, const grade_product *product, count_list *counts);

/* The counts of the scheme's reference kernel, which is ours and has no limits. Returns 0, or -1 with a sentence. */
int grade_count_reference(const grade_session *s, const char *options, count_list *counts, fault *f);

#endif

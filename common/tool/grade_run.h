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
    double time_limit; /* seconds for all runs together */
    double spent;      /* of them */
    size_t memory;     /* bytes */
    char *over;        /* why nothing more is run, or NULL; owned */
} grade_session;

/* Runs the product that `options` describe. Returns NULL when the result is right, otherwise a sentence that the caller
 * frees. */
char *grade_run(grade_session *s, const char *options);

/* The same with the checks on; what they find is added to the sheet. */
char *grade_run_checked(grade_session *s, const char *options, grade_sheet *sheet);

/* The same while it is counted. */
char *grade_run_counted(grade_session *s, const char *options, count_list *counts);

/* The counts of the scheme's reference kernel, which is ours and has no limits. Returns 0, or -1 with a sentence. */
int grade_count_reference(const grade_session *s, const char *options, count_list *counts, fault *f);

#endif

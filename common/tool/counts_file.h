/* Files of counters: what the CPU device counted, or what Nsight Compute read, one counter of one source line a row.
 *
 * Columns: stage,kernel,dtype,m,n,k,source,line,counter,value. Line 0 stands for the whole launch; source is then the
 * kernel's symbol. Lines that begin with # come first and tell where the file is from. */
#ifndef TOOL_COUNTS_FILE_H
#define TOOL_COUNTS_FILE_H

#include "files.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct count_row {
    const char *stage, *kernel, *dtype; /* all strings are borrowed from the list */
    int64_t m, n, k;
    const char *source;
    unsigned line;
    const char *counter;
    double value;
} count_row;

typedef struct count_list {
    count_row *rows;
    size_t count;
    char *text;   /* owned; the rows point into it */
    char *origin; /* the first # line without it, or ""; borrowed from text */
} count_list;

/* Returns 0, or -1 with a sentence. */
int counts_read(const char *path, count_list *list, fault *f);
void counts_free(count_list *list);

/* Whether two rows are about the same launch: stage, kernel, type and shape. */
bool counts_same_launch(const count_row *a, const count_row *b);

/* The counter summed over the lines of a launch; NAN when no row has it. */
double counts_total(const count_list *list, const count_row *launch, const char *counter);
/* Of one launch, on the average of those that were counted: for what adds up from launch to launch. 0 when no row has
 * it. */
double counts_a_launch(const count_list *list, const count_row *launch, const char *counter);
/* The same of one line. */
double counts_of_line(const count_list *list, const count_row *launch, const char *source, unsigned line,
                      const char *counter);

/* The first row of each launch, in order. Free the array. */
const count_row **counts_launches(const count_list *list, size_t *count);

/* Whether `path` (NULL: not asked for) may be written: a file of counts may be replaced, nothing else. Returns 0, or -1
 * with a sentence that names the option. */
int counts_check_replaceable(const char *option, const char *path, fault *f);

#endif

/* The DeepGEMM article's table (its section 5.3) and which of our kernels stands beside each of its rows. */
#ifndef TOOL_ARTICLE_H
#define TOOL_ARTICLE_H

#include "select.h"

typedef struct article_row {
    const char *label;  /* what the article calls the step; short, for the axis of a plot */
    const char *stage;  /* our directory */
    const char *kernel; /* our variant; ending in '*' a prefix */
    double utilization; /* of the article's unnamed mid-range GPU, 0..1; NAN: the article has no such row */
    double speedup;     /* over its naive kernel; NAN likewise */
    bool optional;      /* shown only when recorded */
} article_row;

extern const article_row article_rows[];
extern const size_t article_row_count;

/* Whether the table has a row for this kernel of ours: a stage's main kernels, as opposed to its other variants. */
bool article_has(const char *stage, const char *kernel);

/* The row of our record that stands beside an article row under the selection (whose stage is ignored), or NULL when
 * it is not recorded. Borrowed from the list. */
const gemm_record *article_match(const article_row *row, const record_list *list, const selection *s);

#endif

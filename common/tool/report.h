/* Tables made from records: the article's beside ours, every row, and the checks. */
#ifndef TOOL_REPORT_H
#define TOOL_REPORT_H

#include "article.h"
#include "grid.h"

typedef enum { LANG_EN, LANG_ZH, LANG_COUNT } report_language;

typedef struct report_style {
    grid_format format;
    report_language language;
} report_style;

/* The article's six steps with our measured rows beside them, and the record's provenance under the table. The
 * selection must be settled. */
void report_article(const record_list *list, const selection *s, report_style style, FILE *out);

/* Every selected row: times, speeds, utilizations, ratio to the baseline. */
void report_rows(const record_list *list, const selection *s, report_style style, FILE *out);

/* Every row's check: the error beside its bound. For results without speeds. */
void report_checks(const record_list *list, report_style style, FILE *out);

/* One line: GPU, driver, toolkit, cuBLAS, commit, date, protocol and input of the first selected row that names a GPU;
 * nothing when there is none. */
void report_provenance(const record_list *list, const selection *s, report_style style, FILE *out);

#endif

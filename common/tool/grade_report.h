/* Shows what a marked file earned. */
#ifndef TOOL_GRADE_REPORT_H
#define TOOL_GRADE_REPORT_H

#include "grade_sheet.h"
#include "tool.h"

int grade_points(const grade_sheet *sheet);
int grade_points_of(const grade_sheet *sheet);

/* What was marked, the table, the findings, the help, the notes, and the points in the last line. */
void grade_print(const grade_sheet *sheet, FILE *out);

/* {scheme, stage, file, kernel: {variant, function}, status, points, of, limits: {seconds, product_seconds, mebibytes},
 * remark, note, tests: [{id, name, points, before_goals, of, help}], findings: [{kernel, kind, file, line, other_file,
 * other_line, count, text}]}; null for what there is not. */
void grade_print_json(const grade_sheet *sheet, FILE *out);

/* How every file begins that grade_print_json wrote. */
extern const char grade_json_beginning[];

#endif

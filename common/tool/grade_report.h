/* Shows what a marked file earned. */
#ifndef TOOL_GRADE_REPORT_H
#define TOOL_GRADE_REPORT_H

#include "grade_sheet.h"
#include "tool.h"

int grade_points(const grade_sheet *sheet);
int grade_points_of(const grade_sheet *sheet);

/* The table, the findings, the notes, and the points in the last line. */
void grade_print(const grade_sheet *sheet, FILE *out);

/* {stage, file, points, of, remark, note, tests: [{name, points, of, help}], findings: [{kind, file, line, other_file,
 * other_line, count, text}]}; null for what there is not. */
void grade_print_json(const grade_sheet *sheet, FILE *out);

#endif

#include "grade_report.h"

#include "cpu_device/wrapped.h"
#include "files.h"
#include "grid.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

int grade_points(const grade_sheet *sheet) {
    int points = 0;
    for (size_t i = 0; i < sheet->line_count; ++i)
        points += sheet->lines[i].points;
    return points;
}

int grade_points_of(const grade_sheet *sheet) {
    int of = 0;
    for (size_t i = 0; i < sheet->line_count; ++i)
        of += sheet->lines[i].of;
    return of;
}

static void print_help(const grade_line *line, FILE *out) {
    if (!line->help)
        return;
    fprintf(out, "\n%s:\n", line->name);
    put_wrapped(out, line->help, 4);
}

/* "race at kernel.cu:57 and kernel.cu:64:" and the paragraph. */
static void print_finding(const grade_finding *f, FILE *out) {
    fprintf(out, "\n%s", f->kind);
    if (f->line[0])
        fprintf(out, " at %s:%s", f->file, f->line);
    if (f->other_line[0])
        fprintf(out, " and %s:%s", f->other_file, f->other_line);
    fputs(":\n", out);
    put_wrapped(out, f->text, 4);
}

void grade_print(const grade_sheet *sheet, FILE *out) {
    static const char *const headings[] = {"test", "points", "of"};
    grid g;
    if (sheet->remark)
        fprintf(out, "%s.\n\n", sheet->remark);
    grid_open(&g, "lrr", headings);
    for (size_t i = 0; i < sheet->line_count; ++i) {
        const grade_line *line = &sheet->lines[i];
        grid_add(&g, text_format("%s", line->name));
        grid_add(&g, text_format("%d", line->points));
        grid_add(&g, text_format("%d", line->of));
    }
    grid_print(&g, GRID_TEXT, out);
    grid_close(&g);
    for (size_t i = 0; i < sheet->line_count; ++i)
        print_help(&sheet->lines[i], out);
    for (size_t i = 0; i < sheet->finding_count; ++i)
        print_finding(&sheet->findings[i], out);
    if (sheet->note) {
        char *note = text_format("%s.", sheet->note);
        putc('\n', out);
        put_wrapped(out, note, 0);
        free(note);
    }
    fprintf(out, "\n%s: %d of %d points\n", sheet->stage, grade_points(sheet), grade_points_of(sheet));
}

/* ---- JSON ---- */

static void put_member(FILE *out, const char *name, const char *text) {
    fprintf(out, "\"%s\": ", name);
    if (text)
        record_put_json_text(out, text);
    else
        fputs("null", out);
}

/* A number of the file of findings: digits, or nothing. */
static void put_number(FILE *out, const char *name, const char *digits) {
    const bool number = digits[0] && strspn(digits, "0123456789") == strlen(digits) && (digits[0] != '0' || !digits[1]);
    fprintf(out, ", \"%s\": %s", name, number ? digits : "null");
}

static void put_finding(FILE *out, const grade_finding *finding) {
    fputs("{", out);
    put_member(out, "kind", finding->kind);
    fputs(", ", out);
    put_member(out, "file", finding->file[0] ? finding->file : NULL);
    put_number(out, "line", finding->line);
    fputs(", ", out);
    put_member(out, "other_file", finding->other_file[0] ? finding->other_file : NULL);
    put_number(out, "other_line", finding->other_line);
    put_number(out, "count", finding->count);
    fputs(", ", out);
    put_member(out, "text", finding->text);
    fputs("}", out);
}

void grade_print_json(const grade_sheet *sheet, FILE *out) {
    fputs("{", out);
    put_member(out, "stage", sheet->stage);
    fputs(", ", out);
    put_member(out, "file", sheet->file);
    fprintf(out, ", \"points\": %d, \"of\": %d,\n ", grade_points(sheet), grade_points_of(sheet));
    put_member(out, "remark", sheet->remark);
    fputs(", ", out);
    put_member(out, "note", sheet->note);
    fputs(",\n \"tests\": [", out);
    for (size_t i = 0; i < sheet->line_count; ++i) {
        fputs(i ? ",\n  {" : "\n  {", out);
        put_member(out, "name", sheet->lines[i].name);
        fprintf(out, ", \"points\": %d, \"of\": %d, ", sheet->lines[i].points, sheet->lines[i].of);
        put_member(out, "help", sheet->lines[i].help);
        fputs("}", out);
    }
    fputs("],\n \"findings\": [", out);
    for (size_t i = 0; i < sheet->finding_count; ++i) {
        fputs(i ? ",\n  " : "\n  ", out);
        put_finding(out, &sheet->findings[i]);
    }
    fputs("]}\n", out);
}

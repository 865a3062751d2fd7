#include "grade_report.h"

#include "cpu_device/wrapped.h"
#include "files.h"
#include "grade_scheme.h"
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
    fprintf(out, "\n%s:\n", line->name);
    put_wrapped(out, line->help, 4);
}

/* The tests come from the plain to the particular: the first that fails often explains others. Points that only the
 * share of the goals took away are told once, in the note; of a file that was not built there is one thing to say. */
static void print_all_help(const grade_sheet *sheet, FILE *out) {
    bool first = true;
    if (sheet->status == GRADE_DOES_NOT_COMPILE) {
        putc('\n', out);
        put_wrapped(out, sheet->lines[0].help, 0);
        return;
    }
    for (size_t i = 0; i < sheet->line_count; ++i) {
        const grade_line *line = &sheet->lines[i];
        if (!line->help || line->right == line->of)
            continue;
        if (first)
            fprintf(out, "\nLook first at: %s\n", line->name);
        first = false;
        print_help(line, out);
    }
}

/* As the drivers do: "race in kernel tile64, kernel.cu:57 and kernel.cu:64 (12 times; the first:)", the paragraph. */
static void print_finding(const grade_finding *f, FILE *out) {
    fprintf(out, "\n%s in kernel %s", f->kind, f->kernel);
    if (f->line[0])
        fprintf(out, ", %s:%s", f->file, f->line);
    if (f->other_line[0])
        fprintf(out, " and %s:%s", f->other_file, f->other_line);
    if (f->count[0] && strcmp(f->count, "1") != 0)
        fprintf(out, " (%s times; the first:)", f->count);
    putc('\n', out);
    put_wrapped(out, f->text, 4);
}

static void print_table(const grade_sheet *sheet, FILE *out) {
    static const char *const headings[] = {"test", "points", "of"};
    grid g;
    grid_open(&g, "lrr", headings);
    for (size_t i = 0; i < sheet->line_count; ++i) {
        const grade_line *line = &sheet->lines[i];
        grid_add(&g, text_format("%s", line->name));
        grid_add(&g, text_format("%d", line->points));
        grid_add(&g, text_format("%d", line->of));
    }
    grid_print(&g, GRID_TEXT, out);
    grid_close(&g);
}

void grade_print(const grade_sheet *sheet, FILE *out) {
    fprintf(out, "%s: kernel %s, %s() of %s\n", sheet->stage, sheet->variant, sheet->function, sheet->file);
    if (sheet->remark)
        fprintf(out, "%s.\n", sheet->remark);
    putc('\n', out);
    print_table(sheet, out);
    for (size_t i = 0; i < sheet->finding_count; ++i)
        print_finding(&sheet->findings[i], out);
    print_all_help(sheet, out);
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
    put_member(out, "kernel", finding->kernel);
    fputs(", ", out);
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

static const char *status_name(grade_status status) {
    static const char *const names[] = {"marked", "does-not-compile", "time", "memory", "crash"};
    return names[status];
}

const char grade_json_beginning[] = "{\"scheme\": ";

static void put_line(FILE *out, const grade_line *line) {
    fputs("{", out);
    put_member(out, "id", line->id);
    fputs(", ", out);
    put_member(out, "name", line->name);
    fprintf(out, ", \"points\": %d, \"before_goals\": %d, \"of\": %d, ", line->points, line->right, line->of);
    put_member(out, "help", line->help);
    fputs("}", out);
}

void grade_print_json(const grade_sheet *sheet, FILE *out) {
    fprintf(out, "%s%d, ", grade_json_beginning, GRADE_SCHEME_VERSION);
    put_member(out, "stage", sheet->stage);
    fputs(", ", out);
    put_member(out, "file", sheet->file);
    fputs(",\n \"kernel\": {", out);
    put_member(out, "variant", sheet->variant);
    fputs(", ", out);
    put_member(out, "function", sheet->function);
    fputs("}, ", out);
    put_member(out, "status", status_name(sheet->status));
    fprintf(out, ", \"points\": %d, \"of\": %d,\n", grade_points(sheet), grade_points_of(sheet));
    fprintf(out, " \"limits\": {\"seconds\": %.6g, \"product_seconds\": %.6g, \"mebibytes\": %zu},\n ",
            sheet->time_limit, sheet->product_time_limit, sheet->memory_limit >> 20);
    put_member(out, "remark", sheet->remark);
    fputs(", ", out);
    put_member(out, "note", sheet->note);
    fputs(",\n \"tests\": [", out);
    for (size_t i = 0; i < sheet->line_count; ++i) {
        fputs(i ? ",\n  " : "\n  ", out);
        put_line(out, &sheet->lines[i]);
    }
    fputs("],\n \"findings\": [", out);
    for (size_t i = 0; i < sheet->finding_count; ++i) {
        fputs(i ? ",\n  " : "\n  ", out);
        put_finding(out, &sheet->findings[i]);
    }
    fputs("]}\n", out);
}

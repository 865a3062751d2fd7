#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char NOT_RECORDED[] = "–"; /* no such row */
static const char UNKNOWN[] = "n/a";    /* a row, but nobody measured this */

/* ---- Cells --------------------------------------------------------------------------------------------------------
 */

static char *cell_text(const char *text) { return text_format("%s", text[0] ? text : UNKNOWN); }

/* No honest value is this large; one that is would make its column 300 digits wide. */
static const double ABSURD = 1e10;

/* Three significant digits without an exponent, from microseconds on a GPU to seconds on a CPU. */
static char *cell_number(double value) {
    if (!isfinite(value))
        return cell_text(UNKNOWN);
    if (fabs(value) >= ABSURD)
        return text_format("%.2e", value);
    enum { MOST_DIGITS = 6 };
    double size = fabs(value);
    int digits = 0;
    for (; size > 0 && size < 99.95 && digits < MOST_DIGITS; size *= 10)
        ++digits;
    return text_format("%.*f", digits, value);
}

static char *cell_error(double value) {
    if (isnan(value))
        return cell_text(UNKNOWN);
    return text_format("%.2e", value);
}

static bool above_peak(double share) { return isfinite(share) && share > 1; }

static char *cell_share(double share) {
    if (!isfinite(share))
        return cell_text(UNKNOWN);
    if (fabs(share) >= ABSURD)
        return text_format("%.2e %% (!)", 100 * share);
    return text_format("%.*f %%%s", share < 0.0095 ? 2 : 1, 100 * share, above_peak(share) ? " (!)" : "");
}

/* The ratio without its interval would hide that two kernels cannot be told apart. */
static char *cell_ratio(const gemm_record *row) {
    if (!isfinite(row->ratio))
        return cell_text(UNKNOWN);
    const int digits = row->ratio >= 0.1 ? 3 : row->ratio >= 0.01 ? 4 : 5;
    if (fmax(row->ratio, fmax(row->ratio_lo, row->ratio_hi)) >= ABSURD)
        return text_format("%.2e [%.2e, %.2e]", row->ratio, row->ratio_lo, row->ratio_hi);
    if (!isfinite(row->ratio_lo) || !isfinite(row->ratio_hi))
        return text_format("%.*f", digits, row->ratio);
    return text_format("%.*f [%.*f, %.*f]", digits, row->ratio, digits, row->ratio_lo, digits, row->ratio_hi);
}

static char *cell_shape(const gemm_record *row) {
    if (row->m == row->n && row->n == row->k)
        return text_format("%" PRId64 "³", row->m);
    return text_format("%" PRId64 "×%" PRId64 "×%" PRId64, row->m, row->n, row->k);
}

static char *cell_status(const gemm_record *row, bool with_reason) {
    const bool failed = strcmp(row->status, "fail") == 0;
    const char *status = failed ? "FAIL" : row->status;
    if (!with_reason || !row->reason[0])
        return text_format("%s", status);
    return text_format("%s: %s", status, row->reason);
}

static char *cell_article(double value, const char *format, double scale) __attribute__((format(printf, 2, 0)));

static char *cell_article(double value, const char *format, double scale) {
    return isnan(value) ? cell_text(NOT_RECORDED) : text_format(format, scale * value);
}

/* ---- Lines under a table ------------------------------------------------------------------------------------------
 */

static void put_note(report_style style, const char *text, FILE *out) {
    if (style.format == GRID_MARKDOWN) {
        putc('\n', out);
        put_markdown_text(out, text);
        putc('\n', out);
        return;
    }
    for (; *text; ++text)
        putc((unsigned char)*text < ' ' ? ' ' : *text, out);
    putc('\n', out);
}

static bool row_above_peak(const gemm_record *row) {
    return has_speed(row) && (above_peak(row->util_top) || above_peak(row->util_unit));
}

static void note_above_peak(const record_list *list, const selection *s, report_style style, FILE *out) {
    static const char *const text[LANG_COUNT] = {"(!) above the peak: check the timing", "(!) 超过峰值：请检查计时"};
    for (size_t i = 0; i < list->count; ++i)
        if (selected(s, &list->rows[i]) && row_above_peak(&list->rows[i])) {
            put_note(style, text[style.language], out);
            return;
        }
}

/* "CUDA 13.0" for a value that is only "13.0"; the value itself when it already says what it is. */
static char *named(const char *name, const char *value) {
    if (!value[0])
        return text_format("%s %s", name, UNKNOWN);
    return value[0] >= '0' && value[0] <= '9' ? text_format("%s %s", name, value) : text_format("%s", value);
}

void report_provenance(const record_list *list, const selection *s, report_style style, FILE *out) {
    const gemm_record *row = NULL;
    for (size_t i = 0; i < list->count && !row; ++i)
        if (selected(s, &list->rows[i]) && list->rows[i].gpu[0])
            row = &list->rows[i];
    if (!row)
        return;
    char *driver = named(style.language == LANG_ZH ? "驱动" : "driver", row->driver);
    char *toolkit = named("CUDA", row->toolkit), *cublas = named("cuBLAS", row->cublas);
    const char *commit = row->commit[0] ? row->commit : UNKNOWN, *date = row->date[0] ? row->date : UNKNOWN;
    const char *init = row->init[0] ? row->init : UNKNOWN;
    char *line = style.language == LANG_ZH
                     ? text_format("%s，%s，%s，%s；提交 %s，%s；协议 %s，输入 %s。", row->gpu, driver, toolkit, cublas,
                                   commit, date, s->protocol ? s->protocol : "见各行", init)
                     : text_format("%s, %s, %s, %s; commit %s, %s; protocol %s, init %s.", row->gpu, driver, toolkit,
                                   cublas, commit, date, s->protocol ? s->protocol : "as in each row", init);
    put_note(style, line, out);
    free(line);
    free(driver);
    free(toolkit);
    free(cublas);
}

/* ---- The article's table ------------------------------------------------------------------------------------------
 */

enum { ARTICLE_COLUMNS = 10 };

static const char *const article_headings[LANG_COUNT][ARTICLE_COLUMNS] = {
    {"stage", "kernel", "article util.", "article speedup", "TFLOP/s", "util. of fastest unit", "util. of own unit",
     "speedup", "ratio to cuBLAS [95 %]", "check"},
    {"阶段", "内核", "文章利用率", "文章加速比", "TFLOP/s", "利用率（最快单元）", "利用率（所用单元）", "加速比",
     "对 cuBLAS 之比 [95 %]", "校验"},
};

/* The cells from TFLOP/s to the ratio: `missing` in all of them where the row has no speed to show. */
static void add_speeds(grid *g, const gemm_record *row, const char *missing) {
    const bool timed = row && has_speed(row);
    grid_add(g, timed ? cell_number(row->tflops) : cell_text(missing));
    grid_add(g, timed ? cell_share(row->util_top) : cell_text(missing));
    grid_add(g, timed ? cell_share(row->util_unit) : cell_text(missing));
    grid_add(g, timed ? cell_number(row->speedup) : cell_text(missing));
    grid_add(g, timed ? cell_ratio(row) : cell_text(missing));
}

/* A failed or skipped row has no speed by rule; a passed row without one was only checked. */
static const char *missing_speed(const gemm_record *row) {
    return row && strcmp(row->status, "pass") == 0 ? UNKNOWN : NOT_RECORDED;
}

static void add_article_row(grid *g, const article_row *theirs, const gemm_record *ours) {
    grid_add(g, cell_text(theirs->stage));
    grid_add(g, cell_text(ours ? ours->kernel : NOT_RECORDED));
    grid_add(g, cell_article(theirs->utilization, "%.0f %%", 100));
    grid_add(g, cell_article(theirs->speedup, "%.1f", 1));
    add_speeds(g, ours, missing_speed(ours));
    grid_add(g, ours ? cell_status(ours, false) : cell_text(NOT_RECORDED));
}

static void put_article_title(const selection *s, report_style style, FILE *out) {
    const char *protocol = s->protocol ? s->protocol : UNKNOWN;
    char *title =
        style.language == LANG_ZH
            ? text_format("文章：某中端 GPU，4096³，f16。本项目：%" PRId64 "³，%s，%s。", s->size, s->dtype, protocol)
            : text_format("Article: a mid-range GPU, 4096³, f16. Ours: %" PRId64 "³, %s, %s.", s->size, s->dtype,
                          protocol);
    fprintf(out, "%s\n\n", title);
    free(title);
}

void report_article(const record_list *list, const selection *s, report_style style, FILE *out) {
    grid g;
    grid_open(&g, "llrrrrrrrl", article_headings[style.language]);
    for (size_t i = 0; i < article_row_count; ++i) {
        const gemm_record *ours = article_match(&article_rows[i], list, s);
        if (ours || !article_rows[i].optional)
            add_article_row(&g, &article_rows[i], ours);
    }
    put_article_title(s, style, out);
    grid_print(&g, style.format, out);
    grid_close(&g);
    note_above_peak(list, s, style, out);
    report_provenance(list, s, style, out);
}

/* ---- Every row ----------------------------------------------------------------------------------------------------
 */

enum { ROW_COLUMNS = 12 };

static const char *const row_headings[LANG_COUNT][ROW_COLUMNS] = {
    {"stage", "kernel", "type", "M×N×K", "protocol", "time µs", "TFLOP/s", "util. of fastest unit", "util. of own unit",
     "speedup", "ratio to baseline [95 %]", "check"},
    {"阶段", "内核", "类型", "M×N×K", "协议", "时间 µs", "TFLOP/s", "利用率（最快单元）", "利用率（所用单元）",
     "加速比", "对基线之比 [95 %]", "校验"},
};

/* By type, size and then the order of the record, so that kernels that did the same work stand together. Rows of one
 * list: their addresses are that order. */
static int by_work(const void *a, const void *b) {
    const gemm_record *x = *(const gemm_record *const *)a, *y = *(const gemm_record *const *)b;
    const int type = strcmp(x->dtype, y->dtype);
    const double p = (double)x->m * (double)x->n * (double)x->k, q = (double)y->m * (double)y->n * (double)y->k;
    return type ? type : p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

static void add_row(grid *g, const gemm_record *row, bool with_stage) {
    if (with_stage)
        grid_add(g, cell_text(row->stage));
    grid_add(g, cell_text(row->kernel));
    grid_add(g, cell_text(row->dtype));
    grid_add(g, cell_shape(row));
    grid_add(g, cell_text(row->protocol));
    grid_add(g, has_speed(row) ? cell_number(row->time_us) : cell_text(missing_speed(row)));
    add_speeds(g, row, missing_speed(row));
    grid_add(g, cell_status(row, true));
}

/* A column that says the same in every row says nothing: the stage is left out where there is only one. */
void report_rows(const record_list *list, const selection *s, report_style style, FILE *out) {
    const gemm_record **rows = calloc(list->count + 1, sizeof *rows);
    size_t count = 0;
    bool several = false;
    for (size_t i = 0; rows && i < list->count; ++i) {
        if (!selected(s, &list->rows[i]))
            continue;
        rows[count++] = &list->rows[i];
        several = several || strcmp(rows[0]->stage, list->rows[i].stage) != 0;
    }
    if (count > 0)
        qsort(rows, count, sizeof *rows, by_work);
    grid g;
    grid_open(&g, several ? "lllrlrrrrrrl" : "llrlrrrrrrl", row_headings[style.language] + !several);
    for (size_t i = 0; i < count; ++i)
        add_row(&g, rows[i], several);
    free(rows);
    grid_print(&g, style.format, out);
    grid_close(&g);
    note_above_peak(list, s, style, out);
    report_provenance(list, s, style, out);
}

/* ---- Checks -------------------------------------------------------------------------------------------------------
 */

enum { CHECK_COLUMNS = 8 };

static const char *const check_headings[LANG_COUNT][CHECK_COLUMNS] = {
    {"stage", "kernel", "type", "M×N×K", "largest error", "its bound", "error / bound", "check"},
    {"阶段", "内核", "类型", "M×N×K", "最大误差", "误差界", "误差 / 界", "校验"},
};

void report_checks(const record_list *list, report_style style, FILE *out) {
    grid g;
    grid_open(&g, "lllrrrrl", check_headings[style.language]);
    for (size_t i = 0; i < list->count; ++i) {
        const gemm_record *row = &list->rows[i];
        grid_add(&g, cell_text(row->stage));
        grid_add(&g, cell_text(row->kernel));
        grid_add(&g, cell_text(row->dtype));
        grid_add(&g, cell_shape(row));
        grid_add(&g, cell_error(row->max_err));
        grid_add(&g, cell_error(row->err_bound));
        grid_add(&g, cell_number(row->err_bound > 0 ? row->max_err / row->err_bound : NAN));
        grid_add(&g, cell_status(row, true));
    }
    grid_print(&g, style.format, out);
    grid_close(&g);
}

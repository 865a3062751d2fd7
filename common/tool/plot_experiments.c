#include "plot_experiments.h"
#include "gnuplot.h"
#include "plot_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Variants -----------------------------------------------------------------------------------------------------
 */

int draw_variants(const tool_context *context, const record_list *list, const selection *s, const char *directory,
                  fault *f) {
    text_stream data;
    text_open(&data);
    fputs("# kernel, TFLOP/s, ratio to the baseline\n", data.out);
    int count = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const gemm_record *row = &list->rows[i];
        if (!selected(s, row) || !has_speed(row))
            continue;
        char *name = text_format("%.2s %s", row->stage, row->kernel);
        put_label(data.out, name, NULL);
        put_value(data.out, row->tflops);
        put_value(data.out, row->ratio);
        putc('\n', data.out);
        free(name);
        ++count;
    }
    text_close(&data);
    int result = 0;
    if (count == 0) {
        printf("plot: no variants to draw: the record has no speed for %s, %s, size %" PRId64 "\n", s->dtype,
               s->protocol, s->size);
    } else {
        char *subject = plot_subject(list, s, true);
        figure fig = {.name = "variants", .data = data.text, .width = 1100, .height = 160 + 26 * count};
        fig.settings = title_setting("Speed of every variant", subject);
        result = figure_draw(context, &fig, directory, f);
        free(fig.settings);
        free(subject);
    }
    free(data.text);
    return result;
}

/* ---- Accuracy -----------------------------------------------------------------------------------------------------
 */

static bool has_error(const selection *s, const gemm_record *row) {
    return strcmp(row->status, "pass") == 0 && isfinite(row->max_err) && row->max_err > 0 && row->k > 0 &&
           (!s->dtype || strcmp(s->dtype, row->dtype) == 0) && (!s->stage || strcmp(s->stage, row->stage) == 0);
}

static bool same_line(const gemm_record *a, const gemm_record *b) {
    return a->m == b->m && a->n == b->n && strcmp(a->stage, b->stage) == 0 && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->dtype, b->dtype) == 0;
}

static int by_k(const void *a, const void *b) {
    const gemm_record *x = *(const gemm_record *const *)a, *y = *(const gemm_record *const *)b;
    return (x->k > y->k) - (x->k < y->k);
}

/* The rows of the line that row `first` begins, by K, each K once; 0 when an earlier row began it. */
static size_t find_line(const record_list *list, const selection *s, size_t first, const gemm_record **rows) {
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < list->count; ++i) {
        if (!has_error(s, &list->rows[i]) || !same_line(&list->rows[first], &list->rows[i]))
            continue;
        if (i < first)
            return 0;
        rows[count++] = &list->rows[i];
    }
    qsort(rows, count, sizeof *rows, by_k);
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || rows[i]->k != rows[kept - 1]->k)
            rows[kept++] = rows[i];
    return kept;
}

static void put_line(FILE *out, const gemm_record *const *rows, size_t count) {
    char *name = text_format("%.2s %s", rows[0]->stage, rows[0]->kernel);
    char *shape = text_format(" %s, M = %" PRId64 ", N = %" PRId64, rows[0]->dtype, rows[0]->m, rows[0]->n);
    put_label(out, name, shape);
    putc('\n', out);
    for (size_t i = 0; i < count; ++i) {
        fprintf(out, "%" PRId64, rows[i]->k);
        put_value(out, rows[i]->max_err);
        put_value(out, rows[i]->err_bound);
        putc('\n', out);
    }
    fputs("\n\n", out); /* gnuplot's separator between data blocks */
    free(name);
    free(shape);
}

int draw_accuracy(const tool_context *context, const record_list *list, const selection *s, const char *directory,
                  fault *f) {
    const gemm_record **rows = calloc(list->count + 1, sizeof *rows);
    text_stream data;
    text_open(&data);
    int lines = 0;
    for (size_t i = 0; rows && i < list->count; ++i) {
        const size_t count = has_error(s, &list->rows[i]) ? find_line(list, s, i, rows) : 0;
        if (count < 2)
            continue;
        put_line(data.out, rows, count);
        ++lines;
    }
    text_close(&data);
    free(rows);
    int result = 0;
    if (lines == 0) {
        printf("plot: no accuracy to draw: no kernel passed with two K of one M and N\n");
    } else {
        const char *gpu = record_gpu(list);
        char *title = title_setting("Largest error over K", gpu[0] ? gpu : "GPU n/a");
        figure fig = {.name = "accuracy", .data = data.text, .width = 1200, .height = 680};
        fig.settings = text_format("%slines = %d\n", title, lines);
        result = figure_draw(context, &fig, directory, f);
        free(fig.settings);
        free(title);
    }
    free(data.text);
    return result;
}

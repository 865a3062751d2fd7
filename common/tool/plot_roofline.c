#include "plot_roofline.h"
#include "article.h"
#include "ceilings.h"
#include "gnuplot.h"
#include "model.h"
#include "plot_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Points -------------------------------------------------------------------------------------------------------
 */

/* A launch of the kernel in this type, of whatever size was counted; NULL when none was. */
static const count_row *find_launch(const count_list *counts, const gemm_record *row) {
    for (size_t i = 0; i < counts->count; ++i) {
        const count_row *c = &counts->rows[i];
        if (strcmp(c->stage, row->stage) == 0 && strcmp(c->kernel, row->kernel) == 0 &&
            strcmp(c->dtype, row->dtype) == 0)
            return c;
    }
    return NULL;
}

/* "intensity of L1, intensity of L2, TFLOP/s, label": operations are 2 M N K, as in the record's speeds. */
static bool put_point(FILE *out, const count_list *counts, const gemm_record *row) {
    const count_row *launch = find_launch(counts, row);
    if (!launch) {
        printf("plot: roofline: %s %s %s is left out: plots/data/counts/cpu-device.csv lacks it\n", row->stage,
               row->kernel, row->dtype);
        return false;
    }
    const double operations = 2.0 * (double)launch->m * (double)launch->n * (double)launch->k;
    const model_traffic traffic = model_traffic_of(counts, launch);
    put_value(out, operations / traffic.l1_bytes);
    put_value(out, operations / traffic.l2_bytes);
    put_value(out, row->tflops);
    char *name = text_format("%.2s %s", row->stage, row->kernel);
    putc(' ', out);
    put_label(out, name, NULL);
    putc('\n', out);
    free(name);
    return true;
}

/* *slowest: of what was drawn. */
static size_t put_points(FILE *out, const record_list *list, const selection *s, const count_list *counts,
                         double *slowest) {
    size_t drawn = 0;
    fputs("# flop / byte of L1 and shared memory, flop / byte of L2, TFLOP/s, kernel\n", out);
    for (size_t i = 0; i < article_row_count; ++i) {
        const gemm_record *row = article_match(&article_rows[i], list, s);
        if (!row || !has_speed(row) || !put_point(out, counts, row))
            continue;
        *slowest = fmin(*slowest, row->tflops);
        ++drawn;
    }
    fputs("\n\n", out); /* gnuplot's separator between data blocks */
    return drawn;
}

/* ---- Roofs --------------------------------------------------------------------------------------------------------
 */

/* The picture's edges, flop / byte. */
static const double LEFT = 0.125, RIGHT = 1024;

/* "label" and two points for each; a bandwidth rises to the highest ceiling, a ceiling begins where the fastest
 * bandwidth reaches it. */
static size_t put_roofs(FILE *out, const ceiling_list *ceilings, bool bandwidth, const char *gpu, const char *dtype) {
    double most[2] = {0, 0};
    size_t count = 0;
    for (size_t i = 0; i < ceilings->count; ++i) {
        const ceiling *c = &ceilings->rows[i];
        if (ceiling_applies(c, gpu, dtype))
            most[c->bandwidth] = fmax(most[c->bandwidth], c->value);
    }
    for (size_t i = 0; i < ceilings->count; ++i) {
        const ceiling *c = &ceilings->rows[i];
        if (c->bandwidth != bandwidth || !ceiling_applies(c, gpu, dtype))
            continue;
        char *size = text_format(": %.4g %s", c->value, bandwidth ? "TB/s" : "TFLOP/s");
        put_label(out, c->label, size);
        free(size);
        if (bandwidth)
            fprintf(out, "\n%.6g %.6g\n%.6g %.6g\n\n\n", LEFT, c->value * LEFT, most[0] / c->value, most[0]);
        else
            fprintf(out, "\n%.6g %.6g\n%.6g %.6g\n\n\n", c->value / most[1], c->value, RIGHT, c->value);
        ++count;
    }
    return count;
}

/* ---- The figure ---------------------------------------------------------------------------------------------------
 */

static int draw(const tool_context *context, const record_list *list, const selection *s, const count_list *counts,
                const ceiling_list *ceilings, const char *directory, fault *f) {
    char *gpu = slug(record_gpu(list));
    text_stream data;
    text_open(&data);
    double slowest = INFINITY;
    const size_t points = put_points(data.out, list, s, counts, &slowest);
    const size_t bandwidths = put_roofs(data.out, ceilings, true, gpu, s->dtype);
    const size_t speeds = put_roofs(data.out, ceilings, false, gpu, s->dtype);
    text_close(&data);
    int result = 0;
    if (bandwidths == 0 || speeds == 0) {
        printf("plot: no roofline: plots/data/ceilings.csv has no bandwidth and speed of %s for %s\n", gpu, s->dtype);
    } else if (points > 0) {
        char *subject = plot_subject(list, s, true), *title = title_setting("Roofline", subject);
        figure fig = {.name = "roofline", .data = data.text, .width = 1300, .height = 760};
        fig.settings =
            text_format("%sbandwidths = %zu\nspeeds = %zu\nlowest = %.6g\n", title, bandwidths, speeds, slowest / 2);
        result = figure_draw(context, &fig, directory, f);
        free(fig.settings);
        free(subject);
        free(title);
    }
    free(data.text);
    free(gpu);
    return result;
}

int draw_roofline(const tool_context *context, const record_list *list, const selection *s, const char *directory,
                  fault *f) {
    char *counts_path = text_format("%s/plots/data/counts/cpu-device.csv", context->source);
    char *ceilings_path = text_format("%s/plots/data/ceilings.csv", context->source);
    count_list counts = {0};
    ceiling_list ceilings = {0};
    int result = 0;
    if (!file_exists(counts_path) || !file_exists(ceilings_path)) {
        printf("plot: no roofline: it needs plots/data/counts/cpu-device.csv and plots/data/ceilings.csv\n");
    } else {
        result = counts_read(counts_path, &counts, f);
        if (result == 0)
            result = ceilings_read(ceilings_path, &ceilings, f);
        if (result == 0)
            result = draw(context, list, s, &counts, &ceilings, directory, f);
    }
    counts_free(&counts);
    ceilings_free(&ceilings);
    free(counts_path);
    free(ceilings_path);
    return result;
}

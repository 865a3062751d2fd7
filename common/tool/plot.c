/* ladder plot: chooses the rows of each figure and writes their data; gnuplot.c draws. */
#include "plot.h"
#include "article.h"
#include "gnuplot.h"
#include "model.h"
#include "plot_experiments.h"
#include "plot_parts.h"
#include "plot_roofline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Parts of a data file -----------------------------------------------------------------------------------------
 */

/* "04_bank_padding" stands under its bars as "04 bank", "padding" and the kernel, a line each. */
static void put_stage_label(FILE *out, const char *stage, const char *kernel) {
    static const char line_break[] = "\\n"; /* gnuplot's own, inside a quoted label */
    bool numbered = false;
    putc('"', out);
    for (const char *p = stage; *p; ++p) {
        if (*p == '_' && numbered)
            fputs(line_break, out);
        else
            putc(*p == '_' || *p == '"' ? ' ' : *p, out);
        numbered = numbered || *p == '_';
    }
    fputs(line_break, out);
    for (const char *p = kernel; *p; ++p)
        putc(*p == '"' ? ' ' : *p, out);
    putc('"', out);
}

/* ---- Bars: the article beside ours --------------------------------------------------------------------------------
 */

typedef void put_bars(FILE *out, const article_row *theirs, const gemm_record *ours);

static void put_utilization(FILE *out, const article_row *theirs, const gemm_record *ours) {
    put_value(out, 100 * theirs->utilization);
    put_value(out, ours ? 100 * ours->util_top : NAN);
    put_value(out, ours ? 100 * ours->util_unit : NAN);
}

static void put_speedup(FILE *out, const article_row *theirs, const gemm_record *ours) {
    put_value(out, theirs->speedup);
    put_value(out, ours ? ours->speedup : NAN);
}

static const gemm_record *timed_match(const article_row *row, const record_list *list, const selection *s) {
    const gemm_record *ours = article_match(row, list, s);
    return ours && has_speed(ours) ? ours : NULL;
}

static char *bar_data(const record_list *list, const selection *s, put_bars *put, const char *heading) {
    text_stream data;
    text_open(&data);
    fprintf(data.out, "# %s\n", heading);
    for (size_t i = 0; i < article_row_count; ++i) {
        const gemm_record *ours = timed_match(&article_rows[i], list, s);
        if (!ours && article_rows[i].optional)
            continue;
        put_stage_label(data.out, article_rows[i].stage, ours ? ours->kernel : "(no record)");
        put(data.out, &article_rows[i], ours);
        putc('\n', data.out);
    }
    text_close(&data);
    return data.text;
}

static bool any_match(const record_list *list, const selection *s) {
    for (size_t i = 0; i < article_row_count; ++i)
        if (timed_match(&article_rows[i], list, s))
            return true;
    return false;
}

static double best_speedup(const record_list *list, const selection *s) {
    double best = 1;
    for (size_t i = 0; i < article_row_count; ++i) {
        const gemm_record *ours = timed_match(&article_rows[i], list, s);
        if (ours && isfinite(ours->speedup))
            best = fmax(best, ours->speedup);
    }
    return best;
}

/* Wide enough that three-digit labels over neighbouring bars stay apart. */
static int bar_width(const char *data) {
    int groups = -1; /* the heading's line */
    for (const char *p = data; *p; ++p)
        groups += *p == '\n';
    return 160 + 132 * (groups < 6 ? 6 : groups);
}

static int draw_utilization(const tool_context *context, const record_list *list, const selection *s,
                            const char *directory, fault *f) {
    char *subject = plot_subject(list, s, true);
    figure fig = {.name = "utilization", .height = 620};
    fig.settings = title_setting("Utilization of the dense peak", subject);
    fig.data = bar_data(list, s, put_utilization, "stage, article %, ours % of fastest unit, ours % of own unit");
    fig.width = bar_width(fig.data);
    const int result = figure_draw(context, &fig, directory, f);
    free(subject);
    free(fig.settings);
    free(fig.data);
    return result;
}

/* The article's speedups end at 22.7; from here on its bars would be stubs on a linear axis. */
enum { LOG_FROM = 60 };

static int draw_speedup(const tool_context *context, const record_list *list, const selection *s, const char *directory,
                        fault *f) {
    char *subject = plot_subject(list, s, true);
    char *title = title_setting("Speedup over the naive kernel", subject);
    figure fig = {.name = "speedup", .height = 620};
    fig.settings = text_format("%slogarithmic = %d\n", title, best_speedup(list, s) > LOG_FROM);
    fig.data = bar_data(list, s, put_speedup, "stage, article, ours");
    fig.width = bar_width(fig.data);
    const int result = figure_draw(context, &fig, directory, f);
    free(subject);
    free(title);
    free(fig.settings);
    free(fig.data);
    return result;
}

/* ---- Lines: speed over size ---------------------------------------------------------------------------------------
 */

/* More lines than this cannot be told apart; then only the kernels of the article's table are drawn. */
enum { MAX_LINES = 8 };

typedef struct line_list {
    const gemm_record **first; /* one row for each line: it names stage and kernel */
    size_t count;
} line_list;

static bool same_line(const gemm_record *a, const gemm_record *b) {
    return strcmp(a->stage, b->stage) == 0 && strcmp(a->kernel, b->kernel) == 0;
}

static bool square(const gemm_record *row) { return row->m == row->n && row->n == row->k; }

static void add_line(line_list *lines, const gemm_record *row) {
    for (size_t i = 0; i < lines->count; ++i)
        if (same_line(lines->first[i], row))
            return;
    lines->first[lines->count++] = row;
}

static bool on_curve(const selection *s, const gemm_record *row) {
    return square(row) && has_speed(row) && selected(s, row);
}

/* `s` has no size. The caller frees lines.first. */
static line_list find_lines(const record_list *list, const selection *s) {
    line_list lines = {calloc(list->count + article_row_count, sizeof *lines.first), 0};
    for (size_t i = 0; lines.first && i < list->count; ++i)
        if (on_curve(s, &list->rows[i]))
            add_line(&lines, &list->rows[i]);
    if (lines.count <= MAX_LINES)
        return lines;
    lines.count = 0;
    for (size_t i = 0; i < article_row_count; ++i) {
        const gemm_record *row = timed_match(&article_rows[i], list, s);
        if (row)
            add_line(&lines, row);
    }
    return lines;
}

static int by_size(const void *a, const void *b) {
    const gemm_record *x = *(const gemm_record *const *)a, *y = *(const gemm_record *const *)b;
    return (x->m > y->m) - (x->m < y->m);
}

typedef double point_value(const gemm_record *row);
static double own_speed(const gemm_record *row) { return row->tflops; }
static double baseline_speed(const gemm_record *row) { return row->baseline_tflops; }

/* One data block of a curve: `line` NULL takes every row, the first of each size, as for the shared baseline. */
static void put_curve(FILE *out, const char *name, const record_list *list, const selection *s, const gemm_record *line,
                      point_value *value) {
    const gemm_record **rows = calloc(list->count + 1, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; rows && i < list->count; ++i)
        if (on_curve(s, &list->rows[i]) && (!line || same_line(line, &list->rows[i])) &&
            isfinite(value(&list->rows[i])))
            rows[count++] = &list->rows[i];
    if (rows)
        qsort(rows, count, sizeof *rows, by_size);
    put_label(out, name, NULL);
    putc('\n', out);
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || rows[i]->m != rows[i - 1]->m)
            fprintf(out, "%" PRId64 " %.6g\n", rows[i]->m, value(rows[i]));
    fputs("\n\n", out); /* gnuplot's separator between data blocks */
    free(rows);
}

static const char *baseline_name(const record_list *list, const selection *s) {
    for (size_t i = 0; i < list->count; ++i)
        if (on_curve(s, &list->rows[i]) && list->rows[i].baseline[0] && isfinite(list->rows[i].baseline_tflops))
            return list->rows[i].baseline;
    return NULL;
}

static bool several_sizes(const record_list *list, const selection *s) {
    int64_t size = 0;
    for (size_t i = 0; i < list->count; ++i) {
        if (!on_curve(s, &list->rows[i]))
            continue;
        if (size && list->rows[i].m != size)
            return true;
        size = list->rows[i].m;
    }
    return false;
}

/* The sizes on the axis, smallest first: "1024 2048 4096". The caller frees it. */
static char *axis_sizes(const record_list *list, const selection *s) {
    text_stream text;
    text_open(&text);
    for (int64_t last = 0, next = 1; next; last = next) {
        next = 0;
        for (size_t i = 0; i < list->count; ++i)
            if (on_curve(s, &list->rows[i]) && list->rows[i].m > last && (!next || list->rows[i].m < next))
                next = list->rows[i].m;
        if (next)
            fprintf(text.out, "%s%" PRId64, last ? " " : "", next);
    }
    text_close(&text);
    return text.text;
}

static int draw_scaling(const tool_context *context, const record_list *list, const selection *settled,
                        const char *directory, fault *f) {
    selection s = *settled;
    s.size = 0;
    if (!several_sizes(list, &s)) {
        printf("plot: no speed over size: the record has fewer than two square sizes for %s, %s\n", s.dtype,
               s.protocol);
        return 0;
    }
    const line_list lines = find_lines(list, &s);
    const char *baseline = baseline_name(list, &s);
    text_stream data;
    text_open(&data);
    for (size_t i = 0; i < lines.count; ++i) {
        char *name = text_format("%.2s %s", lines.first[i]->stage, lines.first[i]->kernel);
        put_curve(data.out, name, list, &s, lines.first[i], own_speed);
        free(name);
    }
    if (baseline)
        put_curve(data.out, baseline, list, &s, NULL, baseline_speed);
    text_close(&data);
    char *subject = plot_subject(list, &s, false);
    char *title = title_setting("Speed over size (M = N = K)", subject);
    figure fig = {.name = "scaling", .data = data.text, .width = 1200, .height = 680};
    char *sizes = axis_sizes(list, &s);
    fig.settings =
        text_format("%skernels = %zu\nbaseline = %d\nsizes = '%s'\n", title, lines.count, baseline != NULL, sizes);
    free(sizes);
    const int result = figure_draw(context, &fig, directory, f);
    free(lines.first);
    free(subject);
    free(title);
    free(fig.settings);
    free(data.text);
    return result;
}

/* ---- Errors -------------------------------------------------------------------------------------------------------
 */

int plot_errors(const tool_context *context, const record_list *list, const char *directory, fault *f) {
    text_stream data;
    text_open(&data);
    fputs("# kernel, largest error / its bound\n", data.out);
    size_t count = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const gemm_record *row = &list->rows[i];
        const double share = row->max_err / row->err_bound;
        if (strcmp(row->status, "pass") != 0 || !isfinite(share) || share <= 0)
            continue;
        char *shape = square(row)
                          ? text_format(" %s %" PRId64 "³", row->dtype, row->m)
                          : text_format(" %s %" PRId64 "×%" PRId64 "×%" PRId64, row->dtype, row->m, row->n, row->k);
        char *name = text_format("%.2s %s", row->stage, row->kernel);
        put_label(data.out, name, shape);
        fprintf(data.out, " %.4g\n", share);
        free(name);
        free(shape);
        ++count;
    }
    text_close(&data);
    int result = 0;
    if (count == 0) {
        printf("plot: no errors to draw: no row passed a check that records its error\n");
    } else {
        char *title = title_setting("Largest error as a share of its bound", "the CPU device");
        figure fig = {.name = "errors", .settings = title, .data = data.text, .width = 1100};
        fig.height = 160 + 26 * (int)(count < 60 ? count : 60);
        result = figure_draw(context, &fig, directory, f);
        free(title);
    }
    free(data.text);
    return result;
}

/* ---- Counts -------------------------------------------------------------------------------------------------------
 */

/* Of FP32 cores and tensor cores. */
static double operations_of(const count_list *counts, const count_row *launch) {
    return counts_a_launch(counts, launch, "flops") + counts_a_launch(counts, launch, "tensor_flops");
}

static double wavefronts_of_multiply_add(const count_list *counts, const count_row *launch) {
    enum { FLOPS_OF_A_WARP = 2 * 32 };
    return FLOPS_OF_A_WARP *
           (counts_a_launch(counts, launch, "shared_load_wavefronts") +
            counts_a_launch(counts, launch, "shared_store_wavefronts") +
            counts_a_launch(counts, launch, "shared_async_wavefronts")) /
           operations_of(counts, launch);
}

static double l2_bytes_of_operations(const count_list *counts, const count_row *launch) {
    return 1000 * model_traffic_of(counts, launch).l2_bytes / operations_of(counts, launch);
}

static double sectors_of_load(const count_list *counts, const count_row *launch) {
    return counts_a_launch(counts, launch, "global_load_sectors") /
           counts_a_launch(counts, launch, "global_load_requests");
}

static int draw_counts(const tool_context *context, const count_list *counts, const char *name, const char *title,
                       double (*value)(const count_list *, const count_row *), const char *directory, fault *f) {
    text_stream data;
    text_open(&data);
    size_t count, drawn = 0;
    const count_row **launches = counts_launches(counts, &count);
    for (size_t i = 0; launches && i < count; ++i) {
        const double v = value(counts, launches[i]);
        if (!isfinite(v) || v <= 0)
            continue;
        char *kernel = text_format("%.2s %s", launches[i]->stage, launches[i]->kernel);
        char *type = text_format(" %s", launches[i]->dtype);
        put_label(data.out, kernel, type);
        fprintf(data.out, " %.4g\n", v);
        free(kernel);
        free(type);
        ++drawn;
    }
    free(launches);
    text_close(&data);
    char *settings = title_setting(title, "counted on the CPU device");
    figure fig = {.name = name, .settings = settings, .data = data.text, .width = 1100};
    fig.height = 160 + 26 * (int)(drawn < 60 ? drawn : 60);
    const int result = drawn ? figure_draw(context, &fig, directory, f) : 0;
    free(settings);
    free(data.text);
    return result;
}

int plot_counts(const tool_context *context, const count_list *counts, const char *directory, fault *f) {
    int result = draw_counts(context, counts, "wavefronts", "Shared memory: wavefronts for a multiply-add",
                             wavefronts_of_multiply_add, directory, f);
    if (result == 0)
        result =
            draw_counts(context, counts, "sectors", "Global memory: sectors for a load", sectors_of_load, directory, f);
    if (result == 0)
        result = draw_counts(context, counts, "l2_bytes", "L2: bytes for 1000 operations", l2_bytes_of_operations,
                             directory, f);
    return result;
}

/* ---- The subcommand -----------------------------------------------------------------------------------------------
 */

typedef struct named_figure {
    const char *name;
    int (*draw)(const tool_context *context, const record_list *list, const selection *s, const char *directory,
                fault *f);
    bool usual; /* drawn without being asked for */
} named_figure;

static const named_figure figures[] = {
    {"utilization", draw_utilization, true}, {"speedup", draw_speedup, true},    {"scaling", draw_scaling, true},
    {"roofline", draw_roofline, true},       {"variants", draw_variants, false}, {"accuracy", draw_accuracy, false},
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

void plot_remove(const char *directory) {
    static const char *const others[] = {"errors", "wavefronts", "sectors", "l2_bytes"};
    for (size_t i = 0; i < FIGURES; ++i)
        figure_remove(figures[i].name, directory);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        figure_remove(others[i], directory);
}

/* NULL with a sentence. */
static const named_figure *find_figure(const char *name, fault *f) {
    const named_figure *found = NULL;
    text_stream known;
    text_open(&known);
    for (size_t i = 0; i < FIGURES && !found; ++i) {
        fprintf(known.out, "%s%s", i ? ", " : "", figures[i].name);
        if (strcmp(figures[i].name, name) == 0)
            found = &figures[i];
    }
    text_close(&known);
    if (!found)
        fault_set(f, "--figure %.40s: unknown; choose one of %s", name, known.text);
    free(known.text);
    return found;
}

int plot_speeds(const tool_context *context, const record_list *list, selection what, const char *directory, fault *f) {
    selection_settle(&what, list);
    if (!any_match(list, &what)) {
        printf("plot: no speeds to draw for %s, %s, size %" PRId64 ": no passed row of the article's kernels has one\n",
               what.dtype, what.protocol, what.size);
        return 0;
    }
    int result = 0;
    for (size_t i = 0; i < FIGURES && result == 0; ++i)
        if (figures[i].usual)
            result = figures[i].draw(context, list, &what, directory, f);
    return result;
}

/* One that was asked for by name. */
static int plot_figure(const tool_context *context, const record_list *list, selection what, const char *name,
                       const char *directory, fault *f) {
    const named_figure *figure = find_figure(name, f);
    if (strcmp(name, "accuracy") != 0) /* which is about all sizes, and needs no speeds */
        selection_settle(&what, list);
    return figure ? figure->draw(context, list, &what, directory, f) : -1;
}

typedef struct plot_options {
    tool_context *context;
    record_choice choice;
    const char *out, *figure; /* NULL: not given */
} plot_options;

static error_t parse_option(int key, char *argument, struct argp_state *state) {
    plot_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->choice;
        state->child_inputs[1] = o->context;
        return 0;
    case 'f':
        o->figure = argument;
        return find_figure(argument, o->choice.f) ? 0 : EINVAL;
    case 'o':
        o->out = argument;
        return *argument ? 0 : (fault_set(o->choice.f, "--out needs the name of a directory"), EINVAL);
    case ARGP_KEY_ARG:
        return choose_record(&o->choice, argument);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"figure", 'f', "NAME", 0,
     "Draw only utilization, speedup, scaling, roofline, variants (a bar for every kernel) or accuracy (error over K)",
     1},
    {"out", 'o', "DIR", 0,
     "Where the pictures go (default plots/<gpu> for plots/data/<gpu>.csv, plots/<gpu>/NAME for "
     "plots/data/NAME/<gpu>.csv, else beside the record)",
     1},
    {0},
};

static const struct argp_child children[] = {{&choice_argp, 0, NULL, 0}, {&context_argp, 0, NULL, 0}, {0}};

static const struct argp plot_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "[FILE.csv]",
    .doc = "Draws utilization and speedup (the article beside ours), speed over size, and the roofline.\v"
           "Without FILE.csv the newest record is drawn. Every picture keeps its gnuplot script and data beside it. "
           "Without gnuplot, or without rows that have a speed, one sentence says so and the exit status is 0.",
    .children = children,
};

/* Pictures of a recorded campaign belong into plots/<gpu>, those of a record that lies deeper below that; those of a
 * partial run stay beside it in the build tree. */
static char *default_directory(const tool_context *context, const char *record, const record_list *list) {
    static const char data[] = "plots/data/";
    const char *gpu = record_gpu(list), *slash = strrchr(record, '/'), *recorded = strstr(record, data);
    if (!gpu[0] || !recorded)
        return slash ? text_format("%.*s", (int)(slash - record), record) : text_format(".");
    const char *below = recorded + strlen(data);
    const int length = slash > below ? (int)(slash - below) : 0;
    char *name = slug(gpu);
    char *directory = text_format("%s/plots/%s%s%.*s", context->source, name, length ? "/" : "", length, below);
    free(name);
    return directory;
}

int command_plot(tool_context *context, int argc, char **argv, fault *f) {
    plot_options o = {.context = context, .choice.f = f};
    if (argp_parse(&plot_argp, argc, argv, 0, NULL, &o) != 0)
        return EXIT_USAGE;
    if (o.choice.record && !file_exists(o.choice.record))
        return fault_set(f, "cannot read %.200s: %s", o.choice.record, strerror(errno)), EXIT_USAGE;
    char *path = o.choice.record ? text_format("%s", o.choice.record) : default_record(context);
    if (!path) {
        printf("plot: no record yet: ./ladder run makes one\n");
        return 0;
    }
    record_list list = {0};
    int result = load_record(path, &list, f);
    if (result == 0) {
        char *directory = o.out ? text_format("%s", o.out) : default_directory(context, path, &list);
        result = o.figure ? plot_figure(context, &list, o.choice.what, o.figure, directory, f)
                          : plot_speeds(context, &list, o.choice.what, directory, f);
        free(directory);
    }
    record_list_free(&list);
    free(path);
    return result == 0 ? 0 : EXIT_WORK;
}

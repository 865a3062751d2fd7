#include "count_report.h"
#include "list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Cells ---- */

/* 1234567 is "1.23 M": a reader compares sizes, and the file has the digits. */
static char *cell_count(double value) {
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    if (isnan(value))
        return text_format("–");
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        ++unit;
    }
    return text_format("%.*f%s", unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value, units[unit]);
}

/* What a request costs: two digits after the point unless it is whole. */
static char *cell_each(double cost, double requests) {
    if (isnan(cost) || isnan(requests) || requests == 0)
        return text_format("–");
    const double each = cost / requests;
    return text_format("%.*f", each == floor(each) ? 0 : 2, each);
}

static char *cell_time(double seconds) {
    if (isnan(seconds))
        return text_format("n/a");
    const double us = 1e6 * seconds;
    if (us < 1)
        return text_format("%.0f ns", 1000 * us);
    return us < 9999.5 ? text_format("%.*f us", us < 99.95 ? 1 : 0, us) : text_format("%.2f ms", us / 1000);
}

static char *cell_kernel(const count_row *launch) {
    return launch->stage[0] ? text_format("%.2s %s", launch->stage, launch->kernel) : text_format("%s", launch->kernel);
}

/* "(100x)": what is shown is one launch on the average. */
static char *cell_launch(const count_list *list, const count_row *launch) {
    const double launches = counts_total(list, launch, "launches");
    char *kernel = cell_kernel(launch);
    if (!(launches > 1))
        return kernel;
    char *repeated = text_format("%s (%.0fx)", kernel, launches);
    free(kernel);
    return repeated;
}

static char *cell_shape(const count_row *l) {
    if (l->m == 0 && l->n == 0 && l->k == 0)
        return text_format("–"); /* not a product */
    if (l->m == l->n && l->n == l->k)
        return text_format("%lld", (long long)l->m);
    return text_format("%lldx%lldx%lld", (long long)l->m, (long long)l->n, (long long)l->k);
}

/* 512 B, 24.5 KiB */
static char *cell_bytes(double bytes) {
    return bytes < 1024 ? text_format("%.0f B", bytes) : text_format("%.4g KiB", bytes / 1024);
}

/* ---- Tables, some of whose columns only some kernels need ---- */

typedef enum { ALWAYS, PRODUCTS, MATRICES, COPIES, TENSOR, USES } column_use;

typedef struct column {
    const char *heading;
    char align;
    column_use use;
} column;

enum { MAX_COLUMNS = 24 };

typedef struct table {
    grid g;
    bool has[USES];
    char align[MAX_COLUMNS + 1];
} table;

static bool any_counts(const count_list *list, const char *counter) {
    for (size_t i = 0; i < list->count; ++i)
        if (list->rows[i].value > 0 && strcmp(list->rows[i].counter, counter) == 0)
            return true;
    return false;
}

static void table_open(table *t, const column *columns, size_t count, const count_list *list) {
    const char *headings[MAX_COLUMNS];
    size_t used = 0;
    t->has[ALWAYS] = true;
    t->has[PRODUCTS] = list->count > 0 && list->rows[0].stage[0];
    t->has[MATRICES] = any_counts(list, "ldmatrix_requests");
    t->has[COPIES] = any_counts(list, "shared_async_requests");
    t->has[TENSOR] = any_counts(list, "tensor_flops");
    for (size_t i = 0; i < count; ++i)
        if (t->has[columns[i].use]) {
            headings[used] = columns[i].heading;
            t->align[used++] = columns[i].align;
        }
    t->align[used] = '\0';
    grid_open(&t->g, t->align, headings);
}

/* Takes over the cell. */
static void table_add(table *t, column_use use, char *cell) {
    if (t->has[use])
        grid_add(&t->g, cell);
    else
        free(cell);
}

static void table_close(table *t, grid_format format, FILE *out) {
    grid_print(&t->g, format, out);
    grid_close(&t->g);
}

/* ---- What was counted ---- */

static void add_cost(table *t, column_use use, const count_list *list, const count_row *launch, const char *requests,
                     const char *costs) {
    const double number = counts_a_launch(list, launch, requests);
    table_add(t, use, cell_count(number > 0 ? number : NAN));
    table_add(t, use, cell_each(counts_a_launch(list, launch, costs), number));
}

static void add_access(table *t, const count_list *list, const count_row *launch, const char *access,
                       const char *cost) {
    char *requests = text_format("%s_requests", access), *costs = text_format("%s_%s", access, cost);
    add_cost(t, ALWAYS, list, launch, requests, costs);
    free(requests);
    free(costs);
}

/* The share of the bytes that global memory moved in whole sectors that lanes had asked for. */
static char *cell_used(const count_list *list, const count_row *launch) {
    enum { SECTOR = 32 };
    const double asked =
        counts_a_launch(list, launch, "global_load_bytes") + counts_a_launch(list, launch, "global_store_bytes");
    const double sectors =
        counts_a_launch(list, launch, "global_load_sectors") + counts_a_launch(list, launch, "global_store_sectors");
    return sectors > 0 ? text_format("%.0f %%", 100 * asked / (SECTOR * sectors)) : text_format("–");
}

static char *cell_flops(const count_list *list, const count_row *launch) {
    if (isnan(counts_total(list, launch, "flops")))
        return text_format("–");
    char *number = cell_count(counts_a_launch(list, launch, "flops"));
    if (counts_total(list, launch, "flops_certain") > 0)
        return number;
    char *about = text_format("~ %s", number);
    free(number);
    return about;
}

/* What the table has no column for. */
static void put_notes(const count_list *list, const count_row *launch, FILE *out) {
    const double twofold = counts_a_launch(list, launch, "double_flops");
    const double half = counts_a_launch(list, launch, "half_flops");
    char *kernel = cell_kernel(launch);
    if (twofold > 0)
        fprintf(out, "%s: also %.15g operations in double, which the model leaves out.\n", kernel, twofold);
    if (half > 0)
        fprintf(out, "%s: also %.15g operations in half, which the model leaves out.\n", kernel, half);
    if (counts_total(list, launch, "failed_launches") > 0)
        fprintf(out, "%s: FAILED; what is shown is what it did until then.\n", kernel);
    free(kernel);
}

static const column count_columns[] = {
    {"kernel", 'l', ALWAYS},   {"type", 'l', PRODUCTS},     {"M=N=K", 'l', PRODUCTS},   {"shared ld", 'r', ALWAYS},
    {"wavefr.", 'r', ALWAYS},  {"ldmatrix", 'r', MATRICES}, {"wavefr.", 'r', MATRICES}, {"shared st", 'r', ALWAYS},
    {"wavefr.", 'r', ALWAYS},  {"global ld", 'r', ALWAYS},  {"sect.", 'r', ALWAYS},     {"cp.async", 'r', COPIES},
    {"L2 sect.", 'r', COPIES}, {"global st", 'r', ALWAYS},  {"sect.", 'r', ALWAYS},     {"used", 'r', ALWAYS},
    {"FLOP", 'r', ALWAYS},     {"tensor", 'r', TENSOR},     {"barriers", 'r', ALWAYS},  {"smem", 'r', ALWAYS},
};

static void add_counts(table *t, const count_list *list, const count_row *l) {
    table_add(t, ALWAYS, cell_launch(list, l));
    table_add(t, PRODUCTS, text_format("%s", l->dtype));
    table_add(t, PRODUCTS, cell_shape(l));
    add_access(t, list, l, "shared_load", "wavefronts");
    add_cost(t, MATRICES, list, l, "ldmatrix_requests", "ldmatrix_wavefronts");
    add_access(t, list, l, "shared_store", "wavefronts");
    add_access(t, list, l, "global_load", "sectors");
    add_cost(t, COPIES, list, l, "shared_async_requests", "global_load_l2_sectors");
    add_access(t, list, l, "global_store", "sectors");
    table_add(t, ALWAYS, cell_used(list, l));
    table_add(t, ALWAYS, cell_flops(list, l));
    table_add(t, TENSOR, cell_count(counts_a_launch(list, l, "tensor_flops")));
    table_add(t, ALWAYS, cell_each(counts_a_launch(list, l, "barriers"), counts_total(list, l, "blocks")));
    table_add(t, ALWAYS,
              cell_bytes(counts_total(list, l, "static_shared_bytes") + counts_total(list, l, "dynamic_shared_bytes")));
}

static void explain_units(const table *t, FILE *out) {
    if (t->has[MATRICES])
        fprintf(out, "ldmatrix: those of the shared loads that fetch whole matrices.\n");
    if (t->has[COPIES])
        fprintf(out, "cp.async: those of the global loads that copy to shared memory by themselves; L2 sect.: what one "
                     "asks L2 for.\n");
    if (t->has[TENSOR])
        fprintf(out, "tensor: operations of tensor cores, which FLOP does not hold.\n");
}

void count_report_counts(const count_list *list, grid_format format, FILE *out) {
    table t;
    table_open(&t, count_columns, sizeof count_columns / sizeof *count_columns, list);
    size_t count;
    const count_row **launches = counts_launches(list, &count);
    for (size_t i = 0; launches && i < count; ++i)
        add_counts(&t, list, launches[i]);
    table_close(&t, format, out);
    fprintf(
        out,
        "\nLoads (ld) and stores (st) are the requests of one launch, a request being one access of one warp; "
        "wavefronts, and\nsectors of 32 bytes, are for one request. used: the bytes that lanes asked for over those "
        "that global memory moved,\nabove 100 %% where lanes share them. barriers and smem: of one block.\n");
    explain_units(&t, out);
    for (size_t i = 0; launches && i < count; ++i)
        put_notes(list, launches[i], out);
    free(launches);
}

/* ---- What binds ---- */

const gemm_record *count_measured(const record_list *recorded, const count_row *launch, double scale) {
    for (size_t i = 0; i < recorded->count; ++i) {
        const gemm_record *r = &recorded->rows[i];
        if (strcmp(r->status, "pass") == 0 && strcmp(r->protocol, "burst") == 0 && isfinite(r->time_us) &&
            strcmp(r->stage, launch->stage) == 0 && strcmp(r->kernel, launch->kernel) == 0 &&
            strcmp(r->dtype, launch->dtype) == 0 && (double)r->m == scale * (double)launch->m &&
            (double)r->n == scale * (double)launch->n && (double)r->k == scale * (double)launch->k)
            return r;
    }
    return NULL;
}

/* Of a product the useful operations, of any other kernel those that it executed. */
static double useful_flops(const count_list *list, const count_row *launch, double scale) {
    const double product = 2.0 * (double)launch->m * (double)launch->n * (double)launch->k;
    return scale * scale * scale *
           (product > 0 ? product
                        : counts_a_launch(list, launch, "flops") + counts_a_launch(list, launch, "tensor_flops"));
}

static void add_measured(table *t, const gemm_record *measured, double model_seconds) {
    const double seconds = measured ? 1e-6 * measured->time_us : NAN;
    table_add(t, PRODUCTS, measured ? cell_time(seconds) : text_format("–"));
    table_add(t, PRODUCTS, measured ? text_format("%.2f", seconds / model_seconds) : text_format("–"));
}

static char *cell_limit(const model_result *r) {
    if (isnan(r->total_seconds))
        return text_format("fits no multiprocessor");
    return text_format("%s%s", model_limit_name(r->limit), r->overlaps ? "" : " (+)");
}

static void add_limits(table *t, const count_list *list, const count_row *launch, const count_question *q) {
    const compiled_kernel compiled = compiled_of(q->compiled, list, launch);
    const model_result r = model_launch(q->gpu, list, launch, q->scale, &compiled);
    const double share = useful_flops(list, launch, q->scale) / r.total_seconds / r.peak_flops;
    table_add(t, ALWAYS, cell_launch(list, launch));
    table_add(t, PRODUCTS, text_format("%s", launch->dtype));
    table_add(t, ALWAYS, isnan(compiled.registers) ? text_format("n/a") : text_format("%.0f", compiled.registers));
    table_add(t, ALWAYS, text_format("%.0f", r.resident_blocks));
    table_add(t, ALWAYS, text_format("%s%.0f %%", isnan(compiled.registers) ? "<= " : "", 100 * r.occupancy));
    for (int i = 0; i < LIMIT_COUNT; ++i)
        table_add(t, i == LIMIT_TENSOR ? TENSOR : ALWAYS, cell_time(r.seconds[i]));
    table_add(t, ALWAYS, cell_time(r.total_seconds));
    table_add(t, ALWAYS, cell_limit(&r));
    table_add(t, ALWAYS, share > 0 ? text_format("%.0f %%", 100 * share) : text_format("–"));
    add_measured(t, count_measured(q->recorded, launch, q->scale), r.total_seconds);
}

static const column limit_columns[] = {
    {"kernel", 'l', ALWAYS},  {"type", 'l', PRODUCTS},   {"regs", 'r', ALWAYS},    {"blocks", 'r', ALWAYS},
    {"occup.", 'r', ALWAYS},  {"tensor", 'r', TENSOR},   {"FP32", 'r', ALWAYS},    {"issue", 'r', ALWAYS},
    {"L1", 'r', ALWAYS},      {"ld/st", 'r', ALWAYS},    {"L2", 'r', ALWAYS},      {"DRAM", 'r', ALWAYS},
    {"model", 'r', ALWAYS},   {"bound by", 'l', ALWAYS}, {"at most", 'r', ALWAYS}, {"measured", 'r', PRODUCTS},
    {"ratio", 'r', PRODUCTS},
};

static void explain_limits(const count_question *q, const table *t, bool has_unknown, FILE *out) {
    fprintf(
        out,
        "\nA model of %s (%s), not a measurement: the time that each resource is\nbusy, and the share of the %s "
        "that is left. blocks: that a multiprocessor holds; (+): it holds one, so fetching\n(L2, DRAM) and the rest "
        "add up.\n",
        q->gpu->title, q->gpu->source, t->has[TENSOR] ? "peak" : "FP32 peak");
    if (t->has[TENSOR])
        fprintf(out, "The peak is that of tensor cores where a kernel uses them, else that of FP32.\n");
    if (t->has[PRODUCTS])
        fprintf(out, "ratio: measured over model. Below 1 the GPU does less than was counted: nvcc merges loads of As "
                     "(02, 03) and\nthose of WMMA (05).\n");
    if (q->scale != 1)
        fprintf(out,
                "Counted on a product %g times smaller in each direction and scaled: time by its cube, DRAM by its "
                "square.\n",
                q->scale);
    if (has_unknown)
        fprintf(out, "registers n/a: %s; the occupancy is that of threads and shared memory alone.\n",
                q->compiled->why_unknown);
}

/* What the datasheet's peak is for the instruction that the kernel uses, or NULL. It was measured for half and
 * bfloat16. The caller frees it. */
static char *ceiling_of(const count_list *list, const count_row *launch, const count_question *q) {
    const compiled_kernel compiled = compiled_of(q->compiled, list, launch);
    const model_result r = model_launch(q->gpu, list, launch, q->scale, &compiled);
    if (isnan(r.mma_ceiling_seconds) || strcmp(launch->dtype, "tf32") == 0)
        return NULL;
    char *peak = cell_time(r.seconds[LIMIT_TENSOR]), *ceiling = cell_time(r.mma_ceiling_seconds);
    char *text = text_format("tensor cores %s at the datasheet's peak; %s at the %.0f %% of it that a loop of mma.sync "
                             "alone was measured to reach",
                             peak, ceiling, 100 * r.seconds[LIMIT_TENSOR] / r.mma_ceiling_seconds);
    free(peak);
    free(ceiling);
    return text;
}

/* One sentence for all kernels of which the same is to be told, in the name of the first. */
static void tell_ceilings(const count_list *list, const count_row **launches, size_t count, const count_question *q,
                          FILE *out) {
    string_list told = {0};
    for (size_t i = 0; i < count; ++i) {
        char *text = ceiling_of(list, launches[i], q);
        if (text && !list_has(&told, text)) {
            size_t others = 0;
            for (size_t j = i + 1; j < count; ++j) {
                char *other = ceiling_of(list, launches[j], q);
                others += other && strcmp(other, text) == 0;
                free(other);
            }
            char *kernel = cell_kernel(launches[i]);
            fprintf(out, "%s%s%s", kernel, *launches[i]->dtype ? " " : "", launches[i]->dtype);
            if (others > 0)
                fprintf(out, ", and %zu more", others);
            fprintf(out, ": %s.\n", text);
            free(kernel);
            list_copy(&told, text);
        }
        free(text);
    }
    list_free(&told);
}

void count_report_limits(const count_list *list, const count_question *q, grid_format format, FILE *out) {
    table t;
    bool has_unknown = false;
    table_open(&t, limit_columns, sizeof limit_columns / sizeof *limit_columns, list);
    size_t count;
    const count_row **launches = counts_launches(list, &count);
    for (size_t i = 0; launches && i < count; ++i) {
        add_limits(&t, list, launches[i], q);
        has_unknown = has_unknown || isnan(compiled_of(q->compiled, list, launches[i]).registers);
    }
    table_close(&t, format, out);
    explain_limits(q, &t, has_unknown, out);
    if (launches)
        tell_ceilings(list, launches, count, q, out);
    free(launches);
}

/* ---- Line by line ---- */

typedef struct line_access {
    const char *label, *prefix, *cost, *cost_name;
} line_access;

static const line_access line_accesses[] = {
    {"global load", "global_load", "sectors", "sectors"},
    {"global store", "global_store", "sectors", "sectors"},
    {"global atomic", "global_atomic", "sectors", "sectors"},
    {"shared load", "shared_load", "wavefronts", "wavefronts"},
    {"shared store", "shared_store", "wavefronts", "wavefronts"},
    {"shared atomic", "shared_atomic", "wavefronts", "wavefronts"},
    {"constant load", "constant_load", "requests", "requests"},
    {"cp.async", "shared_async", "wavefronts", "wavefronts"},
    {"mma", "tensor", "flops", "operations"},
};

/* Line `number` of a text without its indentation, as a new string. */
static char *line_text(const char *text, unsigned number) {
    for (unsigned i = 1; text && i < number; ++i) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text)
        return text_format("%s", "");
    text += strspn(text, " \t");
    enum { WIDEST = 90 };
    size_t length = strcspn(text, "\r\n");
    const bool cut = length > WIDEST;
    for (length = cut ? WIDEST : length; cut && length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80;)
        --length; /* not in the middle of a UTF-8 character */
    return text_format("%.*s%s", (int)length, text, cut ? " ..." : "");
}

static double of_line(const count_list *list, const count_row *row, const char *prefix, const char *what) {
    char *counter = text_format("%s_%s", prefix, what);
    const double value = counts_of_line(list, row, row->source, row->line, counter);
    free(counter);
    return value;
}

static void add_line(grid *g, const count_list *list, const count_row *row, const line_access *a, const char *text) {
    const double requests = of_line(list, row, a->prefix, "requests");
    const double cost = of_line(list, row, a->prefix, a->cost);
    const double free_of_conflicts = of_line(list, row, a->prefix, "conflict_free_wavefronts");
    const double bytes = of_line(list, row, a->prefix, "bytes"), lanes = of_line(list, row, a->prefix, "lanes");
    grid_add(g, text_format("%s:%u", row->source, row->line));
    grid_add(g, text_format("%s", a->label));
    grid_add(g, cell_each(bytes, lanes));
    grid_add(g, cell_count(requests));
    grid_add(g, cell_each(lanes, requests));
    grid_add(g, cell_each(cost, requests));
    grid_add(g, isnan(free_of_conflicts) ? text_format("–") : cell_count(cost - free_of_conflicts));
    grid_add(g, line_text(text, row->line));
}

/* The text that the rows' lines are of: a file that is read when a row names another one than the row before. */
typedef struct line_source {
    const char *file; /* borrowed, or NULL: no text */
    bool has_others;  /* files beside it are read, too */
    char *name;       /* owned, of the file whose text this is */
    char *text;       /* owned, or NULL where it cannot be read */
} line_source;

static const char *text_of(line_source *s, const char *name) {
    fault ignored;
    const char *slash = s->file ? strrchr(s->file, '/') : NULL, *own = slash ? slash + 1 : s->file;
    if (!s->file || (!s->has_others && strcmp(name, own) != 0))
        return NULL;
    if (s->name && strcmp(s->name, name) == 0)
        return s->text;
    free(s->name);
    free(s->text);
    s->name = text_format("%s", name);
    char *path = text_format("%.*s%s", (int)(own - s->file), s->file, name);
    s->text = file_exists(path) ? read_file(path, &ignored) : NULL;
    free(path);
    return s->text;
}

void count_report_lines(const count_list *list, const count_row *launch, const char *source_file, FILE *out) {
    static const char *const headings[] = {
        "line", "access", "bytes a lane", "requests", "lanes", "sectors or wavefronts", "conflicts", "source"};
    line_source source = {.file = source_file, .has_others = launch->stage[0]};
    grid g;
    grid_open(&g, "llrrrrrl", headings);
    for (size_t i = 0; i < list->count; ++i) {
        const count_row *row = &list->rows[i];
        for (size_t a = 0; a < sizeof line_accesses / sizeof *line_accesses; ++a) {
            char *first = text_format("%s_requests", line_accesses[a].prefix);
            if (row->line > 0 && counts_same_launch(row, launch) && strcmp(row->counter, first) == 0)
                add_line(&g, list, row, &line_accesses[a], text_of(&source, row->source));
            free(first);
        }
    }
    grid_print(&g, GRID_TEXT, out);
    grid_close(&g);
    free(source.name);
    free(source.text);
}

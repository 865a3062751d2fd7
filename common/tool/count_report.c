#include "count_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Cells --------------------------------------------------------------------------------------------------------
 */

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
    return us < 9999.5 ? text_format("%.*f us", us < 99.95 ? 1 : 0, us) : text_format("%.2f ms", us / 1000);
}

static char *cell_kernel(const count_row *launch) {
    return launch->stage[0] ? text_format("%.2s %s", launch->stage, launch->kernel) : text_format("%s", launch->kernel);
}

static char *cell_shape(const count_row *l) {
    if (l->m == 0 && l->n == 0 && l->k == 0)
        return text_format("–"); /* not a product */
    if (l->m == l->n && l->n == l->k)
        return text_format("%lld", (long long)l->m);
    return text_format("%lldx%lldx%lld", (long long)l->m, (long long)l->n, (long long)l->k);
}

static double total(const count_list *list, const count_row *launch, const char *counter) {
    return counts_total(list, launch, counter);
}

static double known(double value) { return isnan(value) ? 0 : value; }

/* ---- What was counted ---------------------------------------------------------------------------------------------
 */

static void add_access(grid *g, const count_list *list, const count_row *launch, const char *access, const char *cost) {
    char *requests = text_format("%s_requests", access), *costs = text_format("%s_%s", access, cost);
    grid_add(g, cell_count(total(list, launch, requests)));
    grid_add(g, cell_each(total(list, launch, costs), total(list, launch, requests)));
    free(requests);
    free(costs);
}

/* The share of the bytes that global memory moved in whole sectors that lanes had asked for. */
static char *cell_used(const count_list *list, const count_row *launch) {
    const double asked =
        known(total(list, launch, "global_load_bytes")) + known(total(list, launch, "global_store_bytes"));
    const double sectors =
        known(total(list, launch, "global_load_sectors")) + known(total(list, launch, "global_store_sectors"));
    return sectors > 0 ? text_format("%.0f %%", 100 * asked / (32 * sectors)) : text_format("–");
}

static char *cell_barriers(const count_list *list, const count_row *launch) {
    const double blocks = total(list, launch, "blocks") * total(list, launch, "launches");
    return cell_each(total(list, launch, "barriers"), blocks);
}

void count_report_counts(const count_list *list, grid_format format, FILE *out) {
    static const char *const headings[] = {"kernel",    "type",    "M=N=K",     "shared ld", "wavefr.",
                                           "shared st", "wavefr.", "global ld", "sect.",     "global st",
                                           "sect.",     "used",    "FLOP",      "barriers",  "smem"};
    grid g;
    grid_open(&g, "lllrrrrrrrrrrrr", headings);
    size_t count;
    const count_row **launches = counts_launches(list, &count);
    for (size_t i = 0; launches && i < count; ++i) {
        const count_row *l = launches[i];
        grid_add(&g, cell_kernel(l));
        grid_add(&g, text_format("%s", l->dtype));
        grid_add(&g, cell_shape(l));
        add_access(&g, list, l, "shared_load", "wavefronts");
        add_access(&g, list, l, "shared_store", "wavefronts");
        add_access(&g, list, l, "global_load", "sectors");
        add_access(&g, list, l, "global_store", "sectors");
        grid_add(&g, cell_used(list, l));
        grid_add(&g, cell_count(total(list, l, "flops")));
        grid_add(&g, cell_barriers(list, l));
        grid_add(&g, cell_count(total(list, l, "static_shared_bytes") + total(list, l, "dynamic_shared_bytes")));
    }
    grid_print(&g, format, out);
    grid_close(&g);
    free(launches);
    fprintf(
        out,
        "\nLoads (ld) and stores (st) are requests, one access of one warp; wavefronts, and sectors of 32 bytes, are "
        "for one of them.\nused: the bytes that lanes asked for over those that global memory moved, above 100 %% "
        "where "
        "lanes share them; barriers and smem: of one block.\n");
}

/* ---- What binds ---------------------------------------------------------------------------------------------------
 */

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
    return scale * scale * scale * (product > 0 ? product : total(list, launch, "flops"));
}

static void add_measured(grid *g, const gemm_record *measured, double model_seconds) {
    if (!measured) {
        grid_add(g, text_format("–"));
        grid_add(g, text_format("–"));
        return;
    }
    const double seconds = 1e-6 * measured->time_us;
    grid_add(g, cell_time(seconds));
    grid_add(g, text_format("%.2f", seconds / model_seconds));
}

static void add_limits(grid *g, const count_list *list, const count_row *launch, const count_question *q) {
    const compiled_kernel compiled = compiled_of(q->compiled, list, launch);
    const model_result r = model_launch(q->gpu, list, launch, q->scale, &compiled);
    const double flops = useful_flops(list, launch, q->scale);
    grid_add(g, cell_kernel(launch));
    grid_add(g, text_format("%s", launch->dtype));
    grid_add(g, isnan(compiled.registers) ? text_format("n/a") : text_format("%.0f", compiled.registers));
    grid_add(g, text_format("%.0f", r.resident_blocks));
    grid_add(g, text_format("%s%.0f %%", isnan(compiled.registers) ? "<= " : "", 100 * r.occupancy));
    for (int i = 0; i < LIMIT_COUNT; ++i)
        grid_add(g, cell_time(r.seconds[i]));
    grid_add(g, cell_time(r.total_seconds));
    grid_add(g, text_format("%s%s", model_limit_name(r.limit), r.overlaps ? "" : " (+)"));
    grid_add(g, flops > 0 ? text_format("%.0f %%", 100 * flops / r.total_seconds / r.peak_flops) : text_format("–"));
    add_measured(g, count_measured(q->recorded, launch, q->scale), r.total_seconds);
}

void count_report_limits(const count_list *list, const count_question *q, grid_format format, FILE *out) {
    static const char *const headings[] = {"kernel",   "type",    "regs",     "blocks", "occup.", "FP32",
                                           "issue",    "L1",      "ld/st",    "L2",     "DRAM",   "at least",
                                           "bound by", "at most", "measured", "ratio"};
    grid g;
    grid_open(&g, "llrrrrrrrrrrlrrr", headings);
    size_t count, unknown = 0;
    const count_row **launches = counts_launches(list, &count);
    for (size_t i = 0; launches && i < count; ++i) {
        add_limits(&g, list, launches[i], q);
        unknown += isnan(compiled_of(q->compiled, list, launches[i]).registers) ? 1 : 0;
    }
    grid_print(&g, format, out);
    grid_close(&g);
    free(launches);
    fprintf(out,
            "\nA model of %s (%s), not a measurement: the time that each resource is busy, and the share of the FP32 "
            "peak that is left.\nratio: measured over model; blocks: that a multiprocessor holds; (+): it holds one, "
            "so fetching (L2, DRAM) and the "
            "rest add up.\n",
            q->gpu->title, q->gpu->source);
    if (q->scale != 1)
        fprintf(out,
                "Counted on a product %g times smaller in each direction and scaled: time by its cube, DRAM by its "
                "square.\n",
                q->scale);
    if (unknown)
        fprintf(out,
                "registers n/a: no nvcc here, and no record of the kernel; the occupancy is that of threads and shared "
                "memory alone.\n");
}

/* ---- Line by line -------------------------------------------------------------------------------------------------
 */

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

void count_report_lines(const count_list *list, const count_row *launch, const char *source_file, FILE *out) {
    static const char *const headings[] = {
        "line", "access", "bytes a lane", "requests", "lanes", "sectors or wavefronts", "conflicts", "source"};
    fault ignored;
    char *text = source_file ? read_file(source_file, &ignored) : NULL;
    const char *slash = source_file ? strrchr(source_file, '/') : NULL, *name = slash ? slash + 1 : source_file;
    grid g;
    grid_open(&g, "llrrrrrl", headings);
    for (size_t i = 0; i < list->count; ++i) {
        const count_row *row = &list->rows[i];
        for (size_t a = 0; a < sizeof line_accesses / sizeof *line_accesses; ++a) {
            char *first = text_format("%s_requests", line_accesses[a].prefix);
            if (row->line > 0 && counts_same_launch(row, launch) && strcmp(row->counter, first) == 0)
                add_line(&g, list, row, &line_accesses[a], name && strcmp(name, row->source) == 0 ? text : NULL);
            free(first);
        }
    }
    grid_print(&g, GRID_TEXT, out);
    grid_close(&g);
    free(text);
}

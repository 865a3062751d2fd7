/* What the CPU device counts against what Nsight Compute read on a GPU, and the model against what was measured.
 *
 *   test_against_card ROOT COUNTED.csv...    counts of the stages, of the shapes that ./ladder profile takes
 *
 * Wavefronts, sectors, requests and operations may differ by 2 %, but for the differences listed below, each of which
 * belongs to one source line or to WMMA. */
#include "compiled.h"
#include "count_report.h"
#include "select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* nvcc sees that a thread reads four neighbours of a row of As in four steps of k, and fetches them in one load of 16
 * bytes: a quarter of the requests, and because all lanes of a row share the address, half of the wavefronts. Both
 * lessons tell it.
 * It is half of each stage's shared loads: the line of 02 reads As and Bs in turn, and in 03 As and Bs have a line
 * each.
 */
static const struct difference {
    const char *stage, *text; /* a part of the source line */
} differences[] = {
    {"02_tiling", "acc[i][j] += As[ty + i * BLOCK][k] * Bs[k][tx + j * BLOCK];"},
    {"03_register_cache", "a_frag[i] = As[ty + i * BLOCK][k];"},
};
static const double share_of_loads = 0.5;
static const double requests_merged = 0.75, wavefronts_merged = 0.5; /* what merging saves */

static const char *const compared[] = {
    "shared_load_requests",   "shared_load_wavefronts",
    "ldmatrix_requests",      "ldmatrix_wavefronts",
    "shared_async_requests",  "shared_async_wavefronts",
    "shared_store_requests",  "shared_store_wavefronts",
    "global_load_requests",   "global_load_sectors",
    "global_load_l2_sectors", "global_store_requests",
    "global_store_sectors",   "flops",
    "tensor_flops",           "tensor_requests",
    "static_shared_bytes",    "blocks",
    "threads_per_block",
};

/* Copies that a predicate switches off are among the card's wavefronts and sectors: those of the last pieces of K. The
 * pieces between two depths have none. */
static const char *const by_difference[] = {"shared_async_wavefronts", "global_load_l2_sectors"};

/* How WMMA loads its pieces and stores them is the toolkit's own affair; the CPU device does it element by element. */
static const char *const own_to_wmma[] = {"shared_load_requests", "shared_load_wavefronts", "ldmatrix_requests",
                                          "ldmatrix_wavefronts",  "shared_store_requests",  "shared_store_wavefronts"};

static const double tolerance = 0.02, model_tolerance = 2;

static const char *root;
static int failures;

static double value_or_0(double value) { return isnan(value) ? 0 : value; }

/* The number of the only line of the stage's kernel.cu that has `text`. */
static unsigned find_line(const char *stage, const char *text) {
    fault f;
    char *path = text_format("%s/%s/kernel.cu", root, stage), *source = read_file(path, &f);
    unsigned number = 0, line = 1;
    for (char *p = source; p && *p; ++p) {
        if (strncmp(p, text, strlen(text)) == 0)
            number = number ? (unsigned)-1 : line;
        line += *p == '\n';
    }
    if (!number || number == (unsigned)-1) {
        printf("FAIL: %s must have exactly one line with %s\n", path, text);
        ++failures;
    }
    free(source);
    free(path);
    return number;
}

/* By how much nvcc's merging lowers a counter. */
static double merged(const count_list *counted, const count_row *launch, const char *counter) {
    const double saved = strcmp(counter, "shared_load_requests") == 0     ? requests_merged
                         : strcmp(counter, "shared_load_wavefronts") == 0 ? wavefronts_merged
                                                                          : 0;
    double sum = 0;
    for (size_t i = 0; i < sizeof differences / sizeof *differences && saved > 0; ++i) {
        const struct difference *d = &differences[i];
        if (strcmp(d->stage, launch->stage) == 0 && find_line(d->stage, d->text))
            sum += saved * share_of_loads * value_or_0(counts_total(counted, launch, counter));
    }
    return sum;
}

static bool is_among(const char *const *list, size_t count, const char *name) {
    for (size_t i = 0; i < count; ++i)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}
#define IS_AMONG(list, name) is_among(list, sizeof list / sizeof *list, name)

/* The launch of the same kernel with twice the depth, in `list`, or NULL. */
static const count_row *twice_as_deep(const count_list *list, const count_row *launch) {
    for (size_t i = 0; i < list->count; ++i) {
        const count_row *r = &list->rows[i];
        if (strcmp(r->stage, launch->stage) == 0 && strcmp(r->kernel, launch->kernel) == 0 &&
            strcmp(r->dtype, launch->dtype) == 0 && r->m == launch->m && r->n == launch->n && r->k == 2 * launch->k)
            return r;
    }
    return NULL;
}

static bool is_left_out(const count_list *card, const count_row *launch, const char *counter) {
    if (strncmp(launch->kernel, "wmma", 4) == 0 && IS_AMONG(own_to_wmma, counter))
        return true;
    if (strcmp(counter, "tensor_requests") == 0) /* the card has a few, whatever they are, without tensor operations */
        return value_or_0(counts_total(card, launch, "tensor_flops")) == 0;
    return IS_AMONG(by_difference, counter) && value_or_0(counts_total(card, launch, "shared_async_requests")) > 0;
}

static void compare(const count_row *launch, const char *counter, double here, double on_card) {
    if (fabs(here - on_card) <= tolerance * on_card)
        return;
    printf("FAIL: %s %s %s %lldx%lldx%lld %s: %.0f here, %.0f on the card\n", launch->stage, launch->kernel,
           launch->dtype, (long long)launch->m, (long long)launch->n, (long long)launch->k, counter, here, on_card);
    ++failures;
}

static void compare_differences(const count_list *card, const count_list *counted, const count_row *launch) {
    const count_row *deep = twice_as_deep(card, launch), *deep_here = twice_as_deep(counted, launch);
    for (size_t i = 0; deep && deep_here && i < sizeof by_difference / sizeof *by_difference; ++i) {
        const char *counter = by_difference[i];
        compare(launch, counter,
                value_or_0(counts_total(counted, deep_here, counter)) -
                    value_or_0(counts_total(counted, launch, counter)),
                value_or_0(counts_total(card, deep, counter)) - value_or_0(counts_total(card, launch, counter)));
    }
}

static void compare_launch(const count_list *card, const count_list *counted, const count_row *launch) {
    if (isnan(counts_total(counted, launch, "launches"))) {
        printf("FAIL: %s %s %s was not counted\n", launch->stage, launch->kernel, launch->dtype);
        ++failures;
        return;
    }
    for (size_t i = 0; i < sizeof compared / sizeof *compared; ++i)
        if (!is_left_out(card, launch, compared[i]))
            compare(launch, compared[i],
                    value_or_0(counts_total(counted, launch, compared[i])) - merged(counted, launch, compared[i]),
                    value_or_0(counts_total(card, launch, compared[i])));
    compare_differences(card, counted, launch);
}

static void compare_counts(const count_list *card, const count_list *counted) {
    size_t count;
    const count_row **launches = counts_launches(card, &count);
    for (size_t i = 0; i < count; ++i)
        compare_launch(card, counted, launches[i]);
    printf("%zu launches compared with the card\n", count);
    failures += count == 0;
    free(launches);
}

/* ---- The model ---- */

typedef struct judged {
    const count_row *launch;
    double model, measured; /* seconds */
} judged;

static size_t judge(const count_list *counted, const record_list *recorded, const compiled_source *compiled,
                    judged *all) {
    enum { COUNTED_EDGE = 512, ASKED_EDGE = 4096 };
    fault f;
    const gpu_model *gpu = gpu_model_find("h200", &f);
    const double scale = (double)ASKED_EDGE / COUNTED_EDGE;
    size_t count, judged_count = 0;
    const count_row **launches = counts_launches(counted, &count);
    for (size_t i = 0; i < count; ++i) {
        const gemm_record *row = launches[i]->m == COUNTED_EDGE ? count_measured(recorded, launches[i], scale) : NULL;
        if (!row)
            continue;
        const compiled_kernel c = compiled_of(compiled, counted, launches[i]);
        all[judged_count++] = (judged){launches[i], model_launch(gpu, counted, launches[i], scale, &c).total_seconds,
                                       1e-6 * row->time_us};
    }
    free(launches);
    return judged_count;
}

/* The first kernel of a stage is the one that stands for it; of 01 it is the coalesced one. */
static const judged *of_stage(const judged *all, size_t count, const char *stage, const char *kernel,
                              const char *dtype) {
    for (size_t i = 0; i < count; ++i)
        if (strcmp(all[i].launch->stage, stage) == 0 && strcmp(all[i].launch->kernel, kernel) == 0 &&
            strcmp(all[i].launch->dtype, dtype) == 0)
            return &all[i];
    printf("FAIL: %s %s %s has no measured time\n", stage, kernel, dtype);
    exit(1);
}

static void check_order(const judged *all, size_t count, const char *dtype) {
    static const char *const ladder[][2] = {
        {"01_naive", "coalesced"}, {"02_tiling", "tile64"}, {"03_register_cache", "8x8"}, {"04_bank_padding", "pad4"}};
    for (size_t i = 1; i < sizeof ladder / sizeof *ladder; ++i) {
        const judged *below = of_stage(all, count, ladder[i - 1][0], ladder[i - 1][1], dtype);
        const judged *above = of_stage(all, count, ladder[i][0], ladder[i][1], dtype);
        if (above->model < below->model && above->measured < below->measured)
            continue;
        printf("FAIL: %s: the model does not order %s and %s as measured\n", dtype, ladder[i - 1][0], ladder[i][0]);
        ++failures;
    }
}

static void check_model(const count_list *counted, const record_list *recorded, const compiled_source *compiled) {
    judged *all = calloc(counted->count + 1, sizeof *all);
    const size_t count = judge(counted, recorded, compiled, all);
    for (size_t i = 0; i < count; ++i) {
        const double ratio = all[i].measured / all[i].model;
        const bool good = ratio <= model_tolerance && ratio >= 1 / model_tolerance;
        printf("%s%s %s %s: measured %.3f ms, model %.3f ms, %.2f\n", good ? "" : "FAIL: ", all[i].launch->stage,
               all[i].launch->kernel, all[i].launch->dtype, 1e3 * all[i].measured, 1e3 * all[i].model, ratio);
        failures += !good;
    }
    check_order(all, count, "f32");
    check_order(all, count, "f16");
    free(all);
}

/* ---- Files ---- */

static void need(int result, const fault *f) {
    if (result == 0)
        return;
    printf("FAIL: %s\n", f->text);
    exit(1);
}

/* One list of several files. */
static void read_counted(char *const *paths, int count, count_list *all) {
    fault f;
    *all = (count_list){0};
    for (int i = 0; i < count; ++i) {
        count_list one; /* its text lives on: the rows point into it */
        need(counts_read(paths[i], &one, &f), &f);
        all->rows = realloc(all->rows, (all->count + one.count) * sizeof *all->rows);
        memcpy(&all->rows[all->count], one.rows, one.count * sizeof *one.rows);
        all->count += one.count;
        free(one.rows);
    }
}

int main(int argc, char **argv) {
    fault f;
    root = argv[1];
    count_list card, counted;
    record_list measured = {0};
    compiled_source compiled;
    fault unknown;
    tool_context context = {"cpu", root, ""};
    compiled_open(&compiled, &context, gpu_model_find("h200", &unknown));
    char *counts = text_format("%s/plots/data/counts/nvidia-h200.csv", root);
    char *record = text_format("%s/plots/data/nvidia-h200.csv", root);
    need(counts_read(counts, &card, &f), &f);
    need(load_record(record, &measured, &f), &f);
    read_counted(argv + 2, argc - 2, &counted);
    compare_counts(&card, &counted);
    check_model(&counted, &measured, &compiled);
    if (failures)
        printf("%d failures\n", failures);
    return failures > 0;
}

#include "compiled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void compiled_open(compiled_source *source, const tool_context *context, const gpu_model *gpu) {
    fault unreadable;
    char *path = text_format("%s/plots/data/counts/%s.csv", context->source, gpu->slug);
    *source = (compiled_source){.why_unknown = "no nvcc here, and no record of the kernel"};
    if (file_exists(path))
        counts_read(path, &source->recorded, &unreadable); /* without it registers are not known */
    free(path);
}

void compiled_close(compiled_source *source) {
    counts_free(&source->recorded);
    free(source->listing);
    *source = (compiled_source){0};
}

void compiled_ask_nvcc(compiled_source *source, const tool_context *context, const gpu_model *gpu, const char *nvcc,
                       const char *file) {
    char *architecture = text_format("-arch=%s", gpu->architecture),
         *common = text_format("-I%s/common", context->source);
    /* ptxas speaks to standard error. */
    char *const argv[] = {(char *)"sh",
                          (char *)"-c",
                          (char *)"exec \"$@\" 2>&1",
                          (char *)"sh",
                          (char *)nvcc,
                          (char *)"-std=c++17",
                          (char *)"-O3",
                          architecture,
                          common,
                          (char *)"-Xptxas",
                          (char *)"-v",
                          (char *)"-cubin",
                          (char *)"-o",
                          (char *)"/dev/null",
                          (char *)file,
                          NULL};
    char *listing = NULL, *before = source->listing;
    const int status = process_capture(argv, NULL, &listing);
    free(architecture);
    free(common);
    source->refused = source->refused || !exited_with(status, 0) || !listing;
    source->why_unknown = source->refused ? "nvcc does not compile its file" : "nvcc names no such kernel";
    if (exited_with(status, 0) && listing) {
        source->listing = text_format("%s%s", before ? before : "", listing);
        free(before);
    }
    free(listing);
}

/* "Compiling entry function '_Z...' for 'sm_90a'", and some lines on "Used 128 registers, ...". */
static double registers_in(const char *listing, const char *function) {
    /* g++ marks a static function by an L, nvcc does not. */
    const bool is_static = strncmp(function, "_ZL", 3) == 0;
    char *quoted = is_static ? text_format("'_Z%s'", function + 3) : text_format("'%s'", function);
    const char *at = strstr(listing, quoted), *used = at ? strstr(at, "Used ") : NULL;
    free(quoted);
    return used ? strtod(used + strlen("Used "), NULL) : NAN;
}

static bool is_same_kernel(const count_row *a, const count_row *b) {
    return strcmp(a->stage, b->stage) == 0 && strcmp(a->kernel, b->kernel) == 0 && strcmp(a->dtype, b->dtype) == 0;
}

/* Spills go with the work, so they are taken from the largest recorded launch of the kernel, by its operations. */
static void take_recorded(const count_list *recorded, const count_list *counts, const count_row *launch,
                          compiled_kernel *compiled) {
    const count_row *best = NULL;
    double most = 0;
    for (size_t i = 0; i < recorded->count; ++i) {
        const count_row *row = &recorded->rows[i];
        if (strcmp(row->counter, "flops") == 0 && is_same_kernel(row, launch) && row->value > most) {
            best = row;
            most = row->value;
        }
    }
    if (!best)
        return;
    const double work = counts_total(counts, launch, "flops") / most;
    compiled->registers = counts_total(recorded, best, "registers_per_thread");
    compiled->local_loads = work * counts_total(recorded, best, "local_load_requests");
    compiled->local_stores = work * counts_total(recorded, best, "local_store_requests");
}

static const char *function_of(const count_list *counts, const count_row *launch) {
    for (size_t i = 0; i < counts->count; ++i)
        if (counts_same_launch(&counts->rows[i], launch) && strcmp(counts->rows[i].counter, "launches") == 0)
            return counts->rows[i].source;
    return "";
}

compiled_kernel compiled_of(const compiled_source *source, const count_list *counts, const count_row *launch) {
    compiled_kernel compiled = {NAN, NAN, NAN};
    take_recorded(&source->recorded, counts, launch, &compiled);
    const double own = source->listing ? registers_in(source->listing, function_of(counts, launch)) : NAN;
    if (!isnan(own))
        compiled.registers = own;
    return compiled;
}

#define _GNU_SOURCE
#include "counted_program.h"

#include "check.h"
#include "counts_columns.h"
#include "cpu_device/counters.h"
#include "demangle.h"
#include "tally.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The file ---- */

/* 4, 4x2 or 4x2x8 */
static void put_extent(FILE *out, uint3 extent) {
    fprintf(out, "%u", extent.x);
    if (extent.y > 1 || extent.z > 1)
        fprintf(out, "x%u", extent.y);
    if (extent.z > 1)
        fprintf(out, "x%u", extent.z);
}

/* "scale<float, 4><<<64, 256, 1024>>>": a kernel is told apart by how it was launched. Free it. */
static char *launch_name(const struct cpu_device_counts *c) {
    char *text = NULL, *name = demangle_short(c->function);
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        fprintf(out, "%s%s<<<", name ? name : c->function, c->arguments);
        put_extent(out, c->grid);
        fputs(", ", out);
        put_extent(out, c->block);
        if (c->dynamic_shared)
            fprintf(out, ", %zu", c->dynamic_shared);
        fputs(">>>", out);
        fclose(out);
    }
    free(name);
    return text;
}

/* The columns stage to k of a program's rows. Free it. */
static char *row_prefix(const struct cpu_device_counts *c) {
    char *text = NULL, *name = launch_name(c);
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        putc(',', out);
        tally_print_field(out, name ? name : c->function);
        fputs(",,,,", out);
        fclose(out);
    }
    free(name);
    return text;
}

static const char *counts_file;

static void write_counts_file(void) {
    size_t count;
    const struct cpu_device_counts *counts = cpu_device_get_counts(&count);
    FILE *out = fopen(counts_file, "w");
    if (out)
        cpu_device_print_counts(out, "", NULL);
    for (size_t i = 0; out && i < count; i++) {
        char *prefix = row_prefix(&counts[i]);
        cpu_device_print_counts(out, prefix ? prefix : ",,,,,", &counts[i]);
        free(prefix);
    }
    if (!out || fclose(out) != 0)
        fprintf(stderr, "CPU device: CPU_DEVICE_COUNTS: cannot write %s.\n", counts_file);
}

static const char *findings_file;

static void write_findings_file(void) {
    size_t count;
    const struct cpu_device_finding *findings = cpu_device_get_findings(&count);
    FILE *out = fopen(findings_file, "w");
    if (out)
        fputs(FINDINGS_HEADER "\n", out);
    for (size_t i = 0; out && i < count; i++) {
        putc(',', out);
        tally_print_field(out, findings[i].kernel);
        cpu_device_write_finding(out, ",,,,", &findings[i]);
    }
    if (!out || fclose(out) != 0)
        fprintf(stderr, "CPU device: CPU_DEVICE_FINDINGS: cannot write %s.\n", findings_file);
}

static const char *file_in_environment(const char *name) {
    const char *file = getenv(name);
    return file && *file ? file : NULL;
}

static void read_environment(void) {
    counts_file = file_in_environment("CPU_DEVICE_COUNTS");
    findings_file = file_in_environment("CPU_DEVICE_FINDINGS");
    if (counts_file) {
        cpu_device_count_launches("");
        atexit(write_counts_file);
    }
    if (findings_file) {
        cpu_device_check_launches("");
        check_announce(true);
        atexit(write_findings_file);
    }
}

void counted_program_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
}

__attribute__((constructor)) static void before_main(void) { counted_program_begin(); }

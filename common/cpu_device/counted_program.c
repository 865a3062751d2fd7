#define _GNU_SOURCE
#include "counted_program.h"

#include "cpu_device/counters.h"
#include "tally.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A kernel's name as a reader would write it ---- */

/* Of the C++ library, which the linker leaves out of a program that uses nothing else of it. */
typedef char *demangler(const char *mangled, char *buffer, size_t *length, int *status);
extern demangler __cxa_demangle __attribute__((weak));

static char *demangle(const char *name) {
    demangler *function = __cxa_demangle;
    void *library = function ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY);
    if (library)
        function = (demangler *)dlsym(library, "__cxa_demangle");
    return function ? function(name, NULL, NULL, NULL) : NULL;
}

/* Where the parameters of a demangled function begin: the first '(' outside template arguments that is not that of
   "(anonymous namespace)". */
static char *find_parameters(char *name) {
    static const char anonymous[] = "(anonymous namespace)";
    int depth = 0;
    for (char *p = name; *p; p++) {
        depth += *p == '<' ? 1 : *p == '>' ? -1 : 0;
        if (*p != '(' || depth > 0)
            continue;
        if (strncmp(p, anonymous, sizeof anonymous - 1) != 0)
            return p;
        p += sizeof anonymous - 2;
    }
    return name + strlen(name);
}

/* Behind the return type, which only function templates have: the last space that is outside template arguments and
   parentheses. */
static char *skip_return_type(char *name, const char *end) {
    int depth = 0;
    char *begin = name;
    for (char *p = name; p < end; p++) {
        depth += *p == '<' || *p == '(' ? 1 : *p == '>' || *p == ')' ? -1 : 0;
        if (depth == 0 && *p == ' ')
            begin = p + 1;
    }
    return begin;
}

/* "void scale<float, 4>(float *, int)" is "scale<float, 4>". A name that is not mangled stays: as a type, "f" would be
   float. */
static char *short_name(const char *function) {
    char *name = strncmp(function, "_Z", 2) == 0 ? demangle(function) : NULL;
    if (!name)
        return strdup(function);
    char *end = find_parameters(name), *begin = skip_return_type(name, end);
    char *copy = strndup(begin, (size_t)(end - begin));
    free(name);
    return copy;
}

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
    char *text = NULL, *name = short_name(c->function);
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

static void read_environment(void) {
    counts_file = getenv("CPU_DEVICE_COUNTS");
    if (!counts_file || !*counts_file)
        return;
    cpu_device_count_launches("");
    atexit(write_counts_file);
}

void counted_program_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
}

__attribute__((constructor)) static void before_main(void) { counted_program_begin(); }

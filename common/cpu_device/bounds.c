/*
 * What the compiler calls before an access whose index is past its dimension (-fsanitize=bounds). The sanitizer's own
 * library is not linked: this takes its place. The layout of the structures is that of compiler-rt's ubsan_handlers.h,
 * which g++ follows too.
 */
#include "bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct source_location {
    const char *file;
    uint32_t line, column;
};

struct type_descriptor {
    uint16_t kind; /* 0: an integer */
    uint16_t info; /* of an integer: bit 0, whether it is signed; above, the logarithm of its width in bits */
    char name[];   /* with quotes around it */
};

struct index_report {
    struct source_location location;
    const struct type_descriptor *array_type, *index_type;
};

/* An index arrives itself where it fits a pointer, and by address where it does not. */
static int64_t index_of(const struct type_descriptor *type, const void *value) {
    const unsigned width = 1u << (type->info >> 1), spare = width < 64 ? 64 - width : 0;
    uint64_t index = (uintptr_t)value;
    if (width > 8 * sizeof value)
        memcpy(&index, value, sizeof index); /* the low half: both processors are little-endian */
    index <<= spare;                         /* what lies above the width is not part of it */
    return type->info & 1 ? (int64_t)index >> spare : (int64_t)(index >> spare);
}

static void tell(const struct index_report *report, const void *index) {
    cpu_device_index_out_of_bounds(report->location.file, report->location.line, report->array_type->name,
                                   index_of(report->index_type, index));
}

/* Whole programs that are checked: the access is made when this returns. */
void __ubsan_handle_out_of_bounds(void *report, void *index);
void __ubsan_handle_out_of_bounds(void *report, void *index) { tell(report, index); }

/* Kernels of stages and tests (CpuKernel.cmake says why): there is no code behind the call. */
_Noreturn void __ubsan_handle_out_of_bounds_abort(void *report, void *index);
_Noreturn void __ubsan_handle_out_of_bounds_abort(void *report, void *index) {
    tell(report, index);
    fflush(stdout); /* on the host: abort would lose what is still to be printed */
    abort();
}

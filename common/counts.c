#include "counts.h"

#include <cuda_runtime_api.h> /* GEMM_CPU_DEVICE */

#include <stdio.h>

int counts_check_header(const char *path, char *why, size_t why_size) {
    if (record_has_header(path, COUNTS_HEADER))
        return 0;
    snprintf(why, why_size, "%s exists and is not a file of counts", path);
    return -1;
}

#ifdef GEMM_CPU_DEVICE

#include "cpu_device/counters.h"

int counts_supported(void) { return 1; }

void counts_begin(const gemm_record *row) {
    char label[256];
    record_label(row, label, sizeof label);
    cpu_device_count_launches(label);
}

void counts_end(void) { cpu_device_count_launches(NULL); }

static void put_counts(FILE *out) {
    size_t count;
    const struct cpu_device_counts *counts = cpu_device_get_counts(&count);
    cpu_device_print_counts(out, "", NULL);
    for (size_t i = 0; i < count; i++)
        cpu_device_print_counts(out, counts[i].label, &counts[i]);
}

int counts_write(const char *path, char *error, size_t error_size) {
    return record_replace_by(path, put_counts, error, error_size);
}

#else

int counts_supported(void) { return 0; }
void counts_begin(const gemm_record *row) { (void)row; }
void counts_end(void) {}

int counts_write(const char *path, char *error, size_t error_size) {
    snprintf(error, error_size, "%s: nothing is counted on a GPU", path);
    return -1;
}

#endif

#define _GNU_SOURCE /* open_memstream */

#include "counts.h"

#include <cuda_runtime_api.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int counts_check_header(const char *path, char *why, size_t why_size) {
    char line[sizeof COUNTS_HEADER] = "";
    FILE *f = fopen(path, "r");
    const int is_ours = f && fgets(line, sizeof line, f) && strcmp(line, COUNTS_HEADER) == 0;
    if (f)
        fclose(f);
    if (!is_ours)
        snprintf(why, why_size, "%s exists and is not a file of counts", path);
    return is_ours ? 0 : -1;
}

#ifdef GEMM_CPU_DEVICE

#include "cpu_device/counters.h"

int counts_supported(void) { return 1; }

void counts_begin(const gemm_record *row) {
    char label[256];
    snprintf(label, sizeof label, "%s,%s,%s,%lld,%lld,%lld", row->stage, row->kernel, row->dtype, (long long)row->m,
             (long long)row->n, (long long)row->k);
    cpu_device_count_launches(label);
}

void counts_end(void) { cpu_device_count_launches(NULL); }

int counts_write(const char *path, char *error, size_t error_size) {
    char *text = NULL;
    size_t size = 0, count;
    FILE *out = open_memstream(&text, &size);
    const struct cpu_device_counts *counts = cpu_device_get_counts(&count);
    if (out) {
        cpu_device_print_counts(out, "", NULL);
        for (size_t i = 0; i < count; i++)
            cpu_device_print_counts(out, counts[i].label, &counts[i]);
    }
    const int made = out && fclose(out) == 0;
    const int result = made ? record_replace_file(path, text, size) : -1;
    if (result != 0)
        snprintf(error, error_size, "%s could not be written: %s", path, strerror(errno));
    free(text);
    return result;
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

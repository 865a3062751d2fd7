#include "checks.h"

#include "number.h"

#include <math.h>
#include <stdio.h>

int checks_check_header(const char *path, char *why, size_t why_size) {
    if (record_has_header(path, FINDINGS_HEADER))
        return 0;
    snprintf(why, why_size, "%s exists and is not a file of findings", path);
    return -1;
}

#ifdef GEMM_CPU_DEVICE

#include "cpu_device/checks.h"

static size_t found_before;

int checks_supported(void) { return 1; }

void checks_begin(const gemm_record *row, const gemm_problem *p) {
    char label[256];
    const size_t size = number_size(p->dtype);
    const char *no_products = p->alpha == 0.0f ? "alpha is 0" : NULL;
    const struct cpu_device_matrix matrices[] = {
        {"A", p->A, p->M, p->K, p->lda, size, false, no_products},
        {"B", p->B, p->K, p->N, p->ldb, size, false, no_products},
        {"C", p->C, p->M, p->N, p->ldc, size, true, p->beta == 0.0f ? "beta is 0" : NULL},
    };
    record_label(row, label, sizeof label);
    cpu_device_get_findings(&found_before);
    cpu_device_declare_matrices(matrices, sizeof matrices / sizeof *matrices);
    cpu_device_check_launches(label);
}

size_t checks_found(void) {
    size_t count;
    cpu_device_get_findings(&count);
    return count - found_before;
}

/* What an uninitialised float holds: g++ -ftrivial-auto-var-init=pattern fills it with 0xfe. (clang's is a NaN.) A sum
 * that begins with it keeps it, because nothing that is added is as large as its last bit, 2^103 = 1e31. */
static const double PATTERN = -0x1.fdfdfcp126;

static int shows_pattern(const gemm_problem *p, double value) {
    const double expected = (double)p->alpha * PATTERN;
    if (p->alpha == 0.0f)
        return 0;
    if (fabs(expected) > number_max(p->dtype))
        return isinf(value) && (value < 0) == (expected < 0);
    return fabs(value - expected) <= 0x1p-8 * fabs(expected); /* bfloat16 rounds to 8 bits, half of the last: 2^-9 */
}

void checks_wrong_result(const gemm_problem *p, const void *C, int makes_nan) {
    int64_t at = 0;
    const int64_t count = p->M * p->N;
    while (at < count && !shows_pattern(p, (double)number_load(p->dtype, C, at)) &&
           !(makes_nan && isnan(number_load(p->dtype, C, at))))
        at++;
    if (at == count)
        return;
    char text[300];
    snprintf(
        text, sizeof text,
        "C[%lld][%lld] is %g: so it comes from a variable that nobody gave a value; on the CPU device that is filled "
        "with a pattern, on a GPU it is whatever the register held. A sum needs its zero: float acc[TM][TN] = {};",
        (long long)(at / p->N), (long long)(at % p->N), (double)number_load(p->dtype, C, at));
    cpu_device_report_uninitialised(text);
}

size_t checks_end(char *first, size_t first_size) {
    size_t count;
    const struct cpu_device_finding *findings = cpu_device_get_findings(&count);
    cpu_device_check_launches(NULL);
    cpu_device_declare_matrices(NULL, 0);
    for (size_t i = found_before; i < count; i++)
        cpu_device_print_finding(stdout, &findings[i]);
    if (count > found_before) {
        const struct cpu_device_finding *f = &findings[found_before];
        const int length = snprintf(first, first_size, "%s", f->kind);
        if (f->line && length > 0 && (size_t)length < first_size)
            snprintf(first + length, first_size - (size_t)length, " at %s:%u", f->file, f->line);
    }
    return count - found_before;
}

static void put_findings(FILE *out) {
    size_t count;
    const struct cpu_device_finding *findings = cpu_device_get_findings(&count);
    fputs(FINDINGS_HEADER "\n", out);
    for (size_t i = 0; i < count; i++)
        cpu_device_write_finding(out, findings[i].label, &findings[i]);
}

int checks_write(const char *path, char *error, size_t error_size) {
    return record_replace_by(path, put_findings, error, error_size);
}

#else

int checks_supported(void) { return 0; }
void checks_begin(const gemm_record *row, const gemm_problem *problem) { (void)row, (void)problem; }
size_t checks_found(void) { return 0; }
void checks_wrong_result(const gemm_problem *problem, const void *C, int makes_nan) {
    (void)problem, (void)C, (void)makes_nan;
}
size_t checks_end(char *first, size_t first_size) {
    (void)first, (void)first_size;
    return 0;
}

int checks_write(const char *path, char *error, size_t error_size) {
    snprintf(error, error_size, "%s: nothing is checked on a GPU", path);
    return -1;
}

#endif

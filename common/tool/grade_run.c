#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "grade_run.h"

#include "counts.h"
#include "record.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- One run ------------------------------------------------------------------------------------------------------
 */

/* More than any record, and than what a kernel prints that is looked at. */
static const size_t FILE_LIMIT = (size_t)64 << 20;

static void add_words(string_list *list, const char *words) {
    char *copy = text_format("%s", words), *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        list_copy(list, word);
    free(copy);
}

/* How a run ended. */
typedef struct run_end {
    int status; /* of waitpid, or -1 */
    process_end end;
    double limit; /* seconds that it had */
    char *output; /* owned */
} run_end;

/* A product that never ends is not to take the time of all that come after it. */
static double share_of_time(const grade_session *s) {
    const double left = s->time_limit - s->spent;
    return fmin(left, fmax(left / (double)s->runs_left, s->product_time_limit));
}

/* "a,b", as --kernel takes it */
static char *kernels_of(const grade_session *s, const grade_product *product) {
    if (!product->all_variants)
        return text_format("%s", s->variant);
    char *text = list_join(s->variants, ",");
    text[strlen(text) - 1] = '\0'; /* the last one's comma */
    return text;
}

static run_end run_driver(grade_session *s, const grade_product *product, const char *csv, const char *flag,
                          const char *path) {
    const double left = share_of_time(s);
    /* The clock is the limit; this one ends what outlives the marking. It counts all threads. */
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const process_limits limits = {.seconds = left,
                                   .cpu_seconds =
                                       (unsigned)ceil(left) * (unsigned)(processors > 0 ? processors : 1) + 1,
                                   .memory = s->memory,
                                   .file_size = FILE_LIMIT};
    string_list argv = {0};
    list_copy(&argv, s->program);
    add_words(&argv, product->options);
    add_words(&argv, "--protocol none --kernel");
    list_add(&argv, kernels_of(s, product));
    list_copy(&argv, "--csv");
    list_copy(&argv, csv);
    if (flag) {
        list_copy(&argv, flag);
        list_copy(&argv, path);
    }
    run_end e = {.limit = left};
    const double began = seconds_now();
    e.status = process_confined(argv.items, s->scratch, &limits, &e.end, &e.output);
    s->spent += seconds_now() - began;
    list_free(&argv);
    return e;
}

/* The sentence with which the CPU device ends a program, or NULL; the caller frees it. */
static char *last_words(const char *output) {
    static const char mark[] = "CPU device: ";
    const char *at = NULL;
    for (const char *found = output ? strstr(output, mark) : NULL; found; found = strstr(found + 1, mark))
        at = found + sizeof mark - 1;
    return at ? text_format("%.*s", (int)strcspn(at, "\n"), at) : NULL;
}

static char *describe_end(const grade_session *s, const run_end *e) {
    if (e->end == PROCESS_TOO_LONG)
        return text_format(
            "this product did not end within %.4g s: a loop that never ends, or threads that wait for each other "
            "(--time-limit, %.4g s, is for all tests together)",
            e->limit, s->time_limit);
    if (e->end == PROCESS_TOO_LARGE)
        return text_format("this product took more than %zu MiB of memory (--memory-limit)", s->memory >> 20);
    if (e->status < 0 || exited_with(e->status, 127))
        return text_format("the program could not be started");
    if (WIFSIGNALED(e->status) && WTERMSIG(e->status) == SIGXFSZ)
        return text_format("wrote more than %zu MiB into a file or to its output", FILE_LIMIT >> 20);
    char *words = last_words(e->output);
    if (words)
        return words;
    if (WIFSIGNALED(e->status))
        return text_format("was ended by signal %d (%s)", WTERMSIG(e->status), strsignal(WTERMSIG(e->status)));
    return text_format("ended with exit status %d without a result that can be judged", WEXITSTATUS(e->status));
}

typedef enum {
    RUN_RIGHT,
    RUN_WRONG, /* the launch came to its end, with another result */
    RUN_FAILED /* there is nothing to be judged */
} run_outcome;

static const gemm_record *row_of(const record_list *list, const char *stage, const char *kernel) {
    for (size_t i = 0; i < list->count; ++i)
        if (strcmp(list->rows[i].stage, stage) == 0 && strcmp(list->rows[i].kernel, kernel) == 0)
            return &list->rows[i];
    return NULL;
}

/* Of the rows of a run: NULL when each kernel has passed, by its own numbers; a sentence when one has not. */
static char *judge_rows(const grade_session *s, const record_list *list, const string_list *kernels,
                        run_outcome *outcome) {
    *outcome = list->count == kernels->count ? RUN_RIGHT : RUN_FAILED;
    for (size_t i = 0; i < kernels->count && *outcome == RUN_RIGHT; ++i) {
        const gemm_record *row = row_of(list, s->scheme->stage, kernels->items[i]);
        if (row && strcmp(row->status, "pass") != 0) {
            *outcome = RUN_WRONG;
            return kernels->count > 1 ? text_format("%s: %s", row->kernel, row->reason)
                                      : text_format("%s", row->reason);
        }
        if (!row || !(row->max_err <= row->err_bound))
            *outcome = RUN_FAILED;
    }
    return NULL;
}

/* Only rows of these kernels that passed count, in a record that nothing contradicts. */
static char *judge(const grade_session *s, const grade_product *product, const run_end *e, const char *csv,
                   run_outcome *outcome) {
    record_list list = {0};
    char damage[512] = "";
    string_list kernels = {0};
    if (product->all_variants)
        list_append(&kernels, s->variants);
    else
        list_copy(&kernels, s->variant);
    const bool whole = record_salvage_csv(csv, &list, damage, sizeof damage) == 0;
    char *wrong = NULL;
    *outcome = RUN_FAILED;
    if (e->end == PROCESS_ENDED && whole)
        wrong = judge_rows(s, &list, &kernels, outcome);
    if (*outcome == RUN_RIGHT && !exited_with(e->status, 0))
        *outcome = RUN_FAILED;
    if (*outcome == RUN_FAILED)
        wrong = describe_end(s, e);
    list_free(&kernels);
    record_list_free(&list);
    return wrong;
}

/* The first run that did not end by itself tells how the marking went. */
static void note_end(grade_session *s, const run_end *e, run_outcome outcome) {
    s->too_long = e->end == PROCESS_TOO_LONG;
    if (s->status == GRADE_MARKED && outcome == RUN_FAILED)
        s->status = s->too_long ? GRADE_TIME : e->end == PROCESS_TOO_LARGE ? GRADE_MEMORY : GRADE_CRASH;
}

/* With `flag`, the driver writes one more file. */
static char *run_once(grade_session *s, const grade_product *product, const char *flag, const char *path,
                      run_outcome *outcome) {
    enum { TOO_SHORT_MS = 100 }; /* less is no time for any product */
    *outcome = RUN_FAILED;
    s->too_long = false;
    if (path)
        unlink(path);
    if ((s->time_limit - s->spent) * 1000 < TOO_SHORT_MS)
        return text_format("%s: not run: the %.4g s for all tests (--time-limit) were used up before this one",
                           product->options, s->time_limit);
    char *csv = text_format("%s/rows.csv", s->scratch);
    unlink(csv);
    run_end e = run_driver(s, product, csv, flag, path);
    char *wrong = judge(s, product, &e, csv, outcome);
    note_end(s, &e, *outcome);
    free(e.output);
    free(csv);
    if (!wrong)
        return NULL;
    char *sentence = text_format("%s: %s", product->options, wrong);
    free(wrong);
    return sentence;
}

char *grade_run(grade_session *s, const grade_product *product) {
    run_outcome outcome;
    return run_once(s, product, NULL, NULL, &outcome);
}

/* ---- Counts -------------------------------------------------------------------------------------------------------
 */

char *grade_run_counted(grade_session *s, const grade_product *product, count_list *counts) {
    char *path = text_format("%s/counts.csv", s->scratch);
    run_outcome outcome;
    char *wrong = run_once(s, product, "--counts", path, &outcome);
    fault f = {{0}};
    if (outcome != RUN_FAILED) {
        free(wrong);
        wrong = counts_read(path, counts, &f) == 0 ? NULL : text_format("nothing was counted: %s", f.text);
    }
    free(path);
    return wrong;
}

int grade_count_reference(const grade_session *s, const char *options, count_list *counts, fault *f) {
    if (!s->scheme->reference_stage)
        return 0;
    char *path = text_format("%s/reference.csv", s->scratch), *output = NULL;
    string_list argv = {0};
    list_add(&argv, text_format("%s/%s", s->context->bin, s->scheme->reference_stage));
    add_words(&argv, options);
    add_words(&argv, "--protocol none --kernel");
    list_copy(&argv, s->scheme->reference_kernel);
    list_copy(&argv, "--counts");
    list_copy(&argv, path);
    int result = 0;
    if (!exited_with(process_capture(argv.items, NULL, &output), 0))
        result = fault_set(f, "%s of %s, with which the goals compare, could not be counted: %.400s",
                           s->scheme->reference_kernel, s->scheme->reference_stage, output ? output : "");
    if (result == 0)
        result = counts_read(path, counts, f);
    list_free(&argv);
    free(output);
    free(path);
    return result;
}

/* ---- Findings -----------------------------------------------------------------------------------------------------
 */

enum { KERNEL = 1, KIND = 6, SOURCE, LINE, OTHER_FILE, OTHER_LINE, COUNT, TEXT, FINDING_COLUMNS };

static bool is_known(const grade_sheet *sheet, const grade_finding *new) {
    for (size_t i = 0; i < sheet->finding_count; ++i) {
        const grade_finding *old = &sheet->findings[i];
        if (strcmp(old->kind, new->kind) == 0 && strcmp(old->file, new->file) == 0 &&
            strcmp(old->line, new->line) == 0 && strcmp(old->other_file, new->other_file) == 0 &&
            strcmp(old->other_line, new->other_line) == 0)
            return true;
    }
    return false;
}

/* Whether the line is one of a file of findings. Products share findings, which are told once. */
static bool add_finding(grade_sheet *sheet, const char *line) {
    char *own = text_format("%s", line), *fields[FINDING_COLUMNS];
    if (csv_split(own, fields, FINDING_COLUMNS) != FINDING_COLUMNS) {
        free(own);
        return false;
    }
    const grade_finding new = {own,          fields[KERNEL],     fields[KIND],       fields[SOURCE],
                               fields[LINE], fields[OTHER_FILE], fields[OTHER_LINE], fields[COUNT],
                               fields[TEXT]};
    grade_finding *more =
        is_known(sheet, &new) ? NULL : realloc(sheet->findings, (sheet->finding_count + 1) * sizeof *more);
    if (!more) {
        free(own);
        return true;
    }
    sheet->findings = more;
    sheet->findings[sheet->finding_count++] = new;
    return true;
}

/* Returns how many findings the file has, -1 when it is none. */
static int read_findings(const char *path, grade_sheet *sheet) {
    fault ignored;
    char *text = read_file(path, &ignored), *rest = NULL;
    char *line = text ? strtok_r(text, "\n", &rest) : NULL;
    int count = line && strcmp(line, FINDINGS_HEADER) == 0 ? 0 : -1;
    while (count >= 0 && (line = strtok_r(NULL, "\n", &rest)) != NULL)
        count = add_finding(sheet, line) ? count + 1 : -1;
    free(text);
    return count;
}

/* "race at kernel.cu:57 and kernel.cu:61"; "uninitialised", of which no place is known */
static char *kind_and_place(const grade_finding *finding) {
    if (!finding->line[0])
        return text_format("%s", finding->kind);
    return finding->other_line[0] ? text_format("%s at %s:%s and %s:%s", finding->kind, finding->file, finding->line,
                                                finding->other_file, finding->other_line)
                                  : text_format("%s at %s:%s", finding->kind, finding->file, finding->line);
}

char *grade_run_checked(grade_session *s, const grade_product *product, grade_sheet *sheet) {
    char *path = text_format("%s/findings.csv", s->scratch);
    const size_t before = sheet->finding_count;
    run_outcome outcome;
    char *wrong = run_once(s, product, "--findings", path, &outcome);
    const int count = read_findings(path, sheet);
    free(path);
    if (outcome == RUN_FAILED && count <= 0)
        return wrong;
    free(wrong);
    if (count < 0)
        return text_format("%s: the checks left no file of findings", product->options);
    if (count == 0)
        return NULL;
    if (sheet->finding_count == before)
        return text_format("%s: found again what is told of the product before", product->options);
    char *first = kind_and_place(&sheet->findings[before]);
    wrong = text_format("%s: %s, told above", product->options, first);
    free(first);
    return wrong;
}

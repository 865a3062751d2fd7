#include "select.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const dtypes[] = {"f16", "f32", "tf32", "bf16", "e4m3", "e5m2"}; /* the article's first */
static const char *const protocols[] = {"burst", "sustained", "none"};

enum { DTYPES = sizeof dtypes / sizeof dtypes[0], PROTOCOLS = sizeof protocols / sizeof protocols[0] };

/* The article's table is a 4096 x 4096 product. */
enum { ARTICLE_SIZE = 4096 };

bool selected(const selection *s, const gemm_record *row) {
    if (s->size && (row->m != s->size || row->n != s->size || row->k != s->size))
        return false;
    return (!s->dtype || strcmp(s->dtype, row->dtype) == 0) &&
           (!s->protocol || strcmp(s->protocol, row->protocol) == 0) &&
           (!s->stage || strcmp(s->stage, row->stage) == 0);
}

bool has_speed(const gemm_record *row) {
    return strcmp(row->status, "pass") == 0 && isfinite(row->tflops) && row->tflops > 0;
}

static bool any(const selection *s, const record_list *list) {
    for (size_t i = 0; i < list->count; ++i)
        if (selected(s, &list->rows[i]))
            return true;
    return false;
}

static int64_t largest_square(const selection *s, const record_list *list) {
    int64_t largest = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const gemm_record *row = &list->rows[i];
        if (row->m == row->n && row->n == row->k && row->m > largest && selected(s, row))
            largest = row->m;
    }
    return largest ? largest : ARTICLE_SIZE;
}

/* The first of `names` with which `tried` finds a row; `member` points into `tried`. */
static const char *first_present(const selection *tried, const char **member, const char *const names[], size_t count,
                                 const record_list *list) {
    for (size_t i = 0; i < count; ++i) {
        *member = names[i];
        if (any(tried, list))
            return names[i];
    }
    return names[0];
}

void selection_settle(selection *s, const record_list *list) {
    selection tried = *s;
    if (!s->protocol)
        s->protocol = tried.protocol = first_present(&tried, &tried.protocol, protocols, PROTOCOLS, list);
    if (!s->dtype)
        s->dtype = tried.dtype = first_present(&tried, &tried.dtype, dtypes, DTYPES, list);
    if (!s->size) {
        tried.size = ARTICLE_SIZE;
        s->size = any(&tried, list) ? ARTICLE_SIZE : largest_square(s, list);
    }
}

int parse_name(const char *flag, const char *text, const char *const names[], size_t count, fault *f) {
    text_stream list;
    text_open(&list);
    int result = -1;
    for (size_t i = 0; i < count; ++i) {
        fprintf(list.out, "%s%s", i ? ", " : "", names[i]);
        if (strcmp(text, names[i]) == 0)
            result = 0;
    }
    text_close(&list);
    if (result != 0)
        fault_set(f, "%s %.40s: unknown; choose one of %s", flag, text, list.text);
    free(list.text);
    return result;
}

int parse_dtype(const char *text, fault *f) { return parse_name("--dtype", text, dtypes, DTYPES, f); }

int parse_protocol(const char *text, fault *f) { return parse_name("--protocol", text, protocols, PROTOCOLS, f); }

int parse_size(const char *text, int64_t *size, fault *f) {
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value < 1)
        return fault_set(f, "--size %.40s: it must be a whole number, 1 or more", text);
    *size = value;
    return 0;
}

int load_record(const char *path, record_list *list, fault *f) {
    return record_read_csv(path, list, f->text, sizeof f->text);
}

/* When a record was last written; false for a file that is none, such as plots/data/ceilings.csv. */
static bool modified(const char *path, struct timespec *when) {
    struct stat status;
    fault ignored;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        record_check_header(path, ignored.text, sizeof ignored.text) != 0)
        return false;
    *when = status.st_mtim;
    return true;
}

/* Keeps the newer of two files. Takes over `candidate`. Of equal age (a fresh clone) the first name wins. */
static void keep_newer(char **best, char *candidate) {
    struct timespec a = {0}, b = {0};
    const bool have = *best && modified(*best, &a);
    const bool usable = modified(candidate, &b);
    const bool newer = b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec > a.tv_nsec);
    const bool same_age = b.tv_sec == a.tv_sec && b.tv_nsec == a.tv_nsec;
    if (usable && (!have || newer || (same_age && strcmp(candidate, *best) < 0))) {
        free(*best);
        *best = candidate;
    } else {
        free(candidate);
    }
}

char *default_record(const tool_context *context) {
    char *best = NULL;
    char *data = text_format("%s/plots/data", context->source);
    DIR *directory = opendir(data);
    for (struct dirent *entry = directory ? readdir(directory) : NULL; entry; entry = readdir(directory)) {
        const size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".csv") == 0)
            keep_newer(&best, text_format("%s/%s", data, entry->d_name));
    }
    if (directory)
        closedir(directory);
    free(data);
    keep_newer(&best, text_format("%s/build/gpu/results/gpu.csv", context->source));
    if (!best)
        keep_newer(&best, text_format("%s/build/cpu/results/cpu.csv", context->source));
    return best;
}

const char *record_gpu(const record_list *list) {
    for (size_t i = 0; i < list->count; ++i)
        if (list->rows[i].gpu[0])
            return list->rows[i].gpu;
    return "";
}

/* ---- The command line ---------------------------------------------------------------------------------------------
 */

error_t choose_record(record_choice *choice, const char *path) {
    if (choice->record) {
        fault_set(choice->f, "%.200s: one record at a time; %.200s was given already", path, choice->record);
        return EINVAL;
    }
    choice->record = path;
    return 0;
}

static error_t parse_choice(int key, char *argument, struct argp_state *state) {
    record_choice *choice = state->input;
    switch (key) {
    case 't':
        choice->what.dtype = argument;
        return parse_dtype(argument, choice->f) ? EINVAL : 0;
    case 'p':
        choice->what.protocol = argument;
        return parse_protocol(argument, choice->f) ? EINVAL : 0;
    case 's':
        return parse_size(argument, &choice->what.size, choice->f) ? EINVAL : 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option choice_options[] = {
    {"dtype", 't', "TYPE", 0, "f16 (default), f32, tf32, bf16, e4m3 or e5m2", 1},
    {"protocol", 'p', "NAME", 0, "burst (default) or sustained", 1},
    {"size", 's', "N", 0, "Rows with M = N = K = N (default 4096, as in the article)", 1},
    {0},
};

const struct argp choice_argp = {.options = choice_options, .parser = parse_choice};

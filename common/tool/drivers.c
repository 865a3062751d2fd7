#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "drivers.h"
#include "select.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Finding ------------------------------------------------------------------------------------------------------
 */

/* "02_tiling", and nothing that a shell, a path or a CMake target would read otherwise. */
static bool is_stage_name(const char *name) {
    if (!isdigit((unsigned char)name[0]) || !isdigit((unsigned char)name[1]) || name[2] != '_')
        return false;
    for (const char *p = name; *p; ++p)
        if (!isalnum((unsigned char)*p) && *p != '_')
            return false;
    return true;
}

static bool is_driver(const char *bin, const char *name) {
    char *path = text_format("%s/%s", bin, name);
    struct stat status;
    const bool runs = stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
    free(path);
    return runs;
}

static bool is_source(const char *source, const char *name) {
    char *path = text_format("%s/%s/kernel.cu", source, name);
    const bool exists = file_exists(path);
    free(path);
    return exists;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int drivers_add(driver_list *drivers, const char *name, fault *f) {
    for (size_t i = 0; i < drivers->count; ++i)
        if (strcmp(drivers->names[i], name) == 0)
            return 0;
    char **names = realloc(drivers->names, (drivers->count + 1) * sizeof *names);
    if (!names)
        return fault_set(f, "out of memory");
    drivers->names = names;
    drivers->names[drivers->count++] = text_format("%s", name);
    qsort(drivers->names, drivers->count, sizeof *drivers->names, by_name);
    return 0;
}

static int find(const char *path, bool (*wanted)(const char *path, const char *name), driver_list *drivers, fault *f) {
    *drivers = (driver_list){0};
    DIR *directory = opendir(path);
    int result = 0;
    for (struct dirent *e = directory ? readdir(directory) : NULL; e && result == 0; e = readdir(directory))
        if (is_stage_name(e->d_name) && wanted(path, e->d_name))
            result = drivers_add(drivers, e->d_name, f);
    if (directory)
        closedir(directory);
    return result;
}

int drivers_find(const char *bin, driver_list *drivers, fault *f) {
    const int result = find(bin, is_driver, drivers, f);
    if (result == 0 && drivers->count == 0)
        return fault_set(f, "no stage driver in %s; build them with ./ladder run", bin);
    return result;
}

int stages_find(const char *source, driver_list *stages, fault *f) {
    const int result = find(source, is_source, stages, f);
    if (result == 0 && stages->count == 0)
        return fault_set(f, "no stage in %s", source);
    return result;
}

const char *drivers_match(const driver_list *drivers, const char *stage, fault *f) {
    char *end;
    const long number = strtol(stage, &end, 10);
    const bool numeric = *stage && !*end;
    text_stream known;
    text_open(&known);
    const char *found = NULL;
    for (size_t i = 0; i < drivers->count && !found; ++i) {
        const char *name = drivers->names[i];
        fprintf(known.out, "%s%s", i ? ", " : "", name);
        if (strcmp(name, stage) == 0 || (numeric && strtol(name, NULL, 10) == number))
            found = name;
    }
    text_close(&known);
    if (!found)
        fault_set(f, "%.60s: no such stage; choose from %.500s", stage, known.text);
    free(known.text);
    return found;
}

void drivers_free(driver_list *drivers) {
    for (size_t i = 0; i < drivers->count; ++i)
        free(drivers->names[i]);
    free(drivers->names);
    *drivers = (driver_list){0};
}

int stages_print(const char *source, const char *const names[], size_t count, fault *f) {
    driver_list stages;
    if (stages_find(source, &stages, f) != 0)
        return EXIT_WORK;
    int status = 0;
    for (size_t i = 0; i < (count ? count : stages.count) && status == 0; ++i) {
        const char *stage = count ? drivers_match(&stages, names[i], f) : stages.names[i];
        if (stage)
            puts(stage);
        else
            status = EXIT_USAGE;
    }
    drivers_free(&stages);
    return status;
}

/* ---- Running ------------------------------------------------------------------------------------------------------
 */

int driver_add_failure(record_list *list, const char *name, const char *reason, fault *f) {
    gemm_record row;
    record_clear(&row);
    snprintf(row.stage, sizeof row.stage, "%s", name);
    snprintf(row.kernel, sizeof row.kernel, "(driver)");
    snprintf(row.protocol, sizeof row.protocol, "none");
    snprintf(row.status, sizeof row.status, "fail");
    snprintf(row.reason, sizeof row.reason, "%s", reason);
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(row.date, sizeof row.date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return record_push(list, &row) ? fault_set(f, "out of memory") : 0;
}

static bool any_failed(const record_list *list, size_t from) {
    for (size_t i = from; i < list->count; ++i)
        if (strcmp(list->rows[i].status, "fail") == 0)
            return true;
    return false;
}

/* Exit statuses of a driver: its manner of saying what kind of end it was. */
enum { RECORD_LOST = 3 };

typedef struct driver_end {
    int status;             /* of waitpid, or -1 */
    bool expired;           /* the time limit ended it */
    double time_limit;      /* seconds */
    const char *unreadable; /* what is wrong with its record, or NULL */
} driver_end;

/* What is wrong with how the driver ended, or NULL. Its exit status must agree with its rows. Free it. */
static char *complaint(const driver_end *end, const record_list *list, size_t before) {
    const int status = end->status;
    if (end->expired)
        return text_format("the driver was ended after %.10g s, its time limit (see --time-limit)", end->time_limit);
    if (status < 0 || exited_with(status, 127))
        return text_format("the driver could not be started");
    if (WIFSIGNALED(status))
        return text_format("the driver was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    const int code = WEXITSTATUS(status);
    if (code == RECORD_LOST)
        return text_format("its record could not be written (exit status %d); is the disk full?", code);
    if (end->unreadable && code == 0)
        return text_format("the driver's record is damaged: %s", end->unreadable);
    if (end->unreadable)
        return text_format("exit status %d, and the driver's record is damaged: %s", code, end->unreadable);
    if (list->count == before && code == 0)
        return text_format("the driver wrote no rows (exit status 0)");
    if (list->count == before)
        return text_format("the driver ended with exit status %d before it recorded a row", code);
    if (code != 0 && !any_failed(list, before))
        return text_format("the driver ended with exit status %d, though no row failed", code);
    return NULL;
}

static int execute(const char *bin, const char *name, const char *const options[], const char *csv, double time_limit,
                   bool *expired) {
    size_t count = 0;
    while (options[count])
        ++count;
    char **argv = calloc(count + 4, sizeof *argv);
    if (!argv)
        return -1;
    argv[0] = text_format("%s/%s", bin, name);
    for (size_t i = 0; i < count; ++i)
        argv[i + 1] = (char *)options[i];
    argv[count + 1] = (char *)"--csv";
    argv[count + 2] = (char *)csv;
    const int status = process_run_limited(argv, time_limit, expired);
    free(argv[0]);
    free(argv);
    return status;
}

/* A file of 0 bytes was only opened: it is no record yet, and no damaged one. */
static bool holds_text(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && status.st_size > 0;
}

int driver_run(const char *bin, const char *name, const char *const options[], double time_limit, const char *scratch,
               record_list *list, driver_outcome *outcome, fault *f) {
    const size_t before = list->count;
    char *csv = text_format("%s/rows.csv", scratch);
    unlink(csv);
    driver_end end = {.time_limit = time_limit};
    end.status = execute(bin, name, options, csv, time_limit, &end.expired);
    fault damaged = {{0}};
    if (holds_text(csv) && record_salvage_csv(csv, list, damaged.text, sizeof damaged.text) != 0)
        end.unreadable = damaged.text;
    unlink(csv);
    free(csv);
    if (stop_signal() || (end.status >= 0 && WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGINT)) {
        *outcome = DRIVER_INTERRUPTED;
        return 0;
    }
    if (exited_with(end.status, EXIT_USAGE) && list->count == before && !end.expired) {
        *outcome = DRIVER_REFUSED;
        return 0;
    }
    *outcome = DRIVER_RAN;
    char *wrong = complaint(&end, list, before);
    const int result = wrong ? driver_add_failure(list, name, wrong, f) : 0;
    if (wrong)
        printf("%s: FAIL: %s\n", name, wrong);
    free(wrong);
    return result;
}

/* ---- What a driver has --------------------------------------------------------------------------------------------
 */

/* The first column of --list under its heading; the second, a type, tells a kernel's line from other text. */
char *driver_kernels(const char *bin, const char *name, const char *device, char **configs) {
    char *path = text_format("%s/%s", bin, name), *option = text_format("--device=%s", device);
    char *const argv[] = {path, (char *)"--list", option, NULL};
    char *text = NULL, *rest = NULL;
    const int status = process_capture(argv, NULL, &text);
    text_stream names, whole;
    text_open(&names);
    text_open(&whole);
    bool listing = false;
    char kernel[RECORD_NAME] = "", type[RECORD_NAME], last[RECORD_NAME] = "";
    fault ignored;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        const bool row = sscanf(line, "%63s %63s", kernel, type) == 2 && listing && parse_dtype(type, &ignored) == 0;
        if (row && strchr(kernel, '/'))
            fprintf(whole.out, ",%s", kernel);
        kernel[strcspn(kernel, "/")] = '\0';  /* behind it: a configuration */
        if (row && strcmp(kernel, last) != 0) /* a kernel has a line for each of its types and configurations */
            fprintf(names.out, ",%s", kernel);
        if (row)
            memcpy(last, kernel, sizeof last);
        listing = listing || strncmp(line, "kernel", 6) == 0;
    }
    fputs(",", names.out);
    fputs(",", whole.out);
    text_close(&names);
    text_close(&whole);
    if (configs)
        *configs = whole.text;
    else
        free(whole.text);
    free(text);
    free(path);
    free(option);
    if (exited_with(status, 0) && names.size > 1)
        return names.text;
    free(names.text);
    return NULL;
}

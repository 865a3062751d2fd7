#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "drivers.h"

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

static bool is_driver(const char *bin, const char *name) {
    if (!isdigit((unsigned char)name[0]) || !isdigit((unsigned char)name[1]) || name[2] != '_')
        return false;
    for (const char *p = name; *p; ++p)
        if (!isalnum((unsigned char)*p) && *p != '_')
            return false;
    char *path = text_format("%s/%s", bin, name);
    struct stat status;
    const bool runs = stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
    free(path);
    return runs;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int add_name(driver_list *drivers, const char *name) {
    char **names = realloc(drivers->names, (drivers->count + 1) * sizeof *names);
    if (!names)
        return -1;
    drivers->names = names;
    drivers->names[drivers->count++] = text_format("%s", name);
    return 0;
}

int drivers_find(const char *bin, driver_list *drivers, fault *f) {
    *drivers = (driver_list){0};
    DIR *directory = opendir(bin);
    int result = 0;
    for (struct dirent *e = directory ? readdir(directory) : NULL; e && result == 0; e = readdir(directory))
        if (is_driver(bin, e->d_name))
            result = add_name(drivers, e->d_name);
    if (directory)
        closedir(directory);
    if (result != 0)
        return fault_set(f, "out of memory");
    if (drivers->count == 0)
        return fault_set(f, "no stage driver in %s; build them with ./ladder run", bin);
    qsort(drivers->names, drivers->count, sizeof *drivers->names, by_name);
    return 0;
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

/* What is wrong with how the driver ended, or NULL. Its exit status must agree with its rows. Free it. */
static char *complaint(int status, const record_list *list, size_t before, const char *unreadable) {
    if (status < 0 || exited_with(status, 127))
        return text_format("the driver could not be started");
    if (WIFSIGNALED(status))
        return text_format("the driver was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (unreadable)
        return text_format("the driver's record is damaged: %s", unreadable);
    const int code = WEXITSTATUS(status);
    if (list->count == before)
        return text_format("the driver wrote no rows (exit status %d)", code);
    if (code != 0 && !any_failed(list, before))
        return text_format("the driver ended with exit status %d, though no row failed", code);
    return NULL;
}

static int execute(const char *bin, const char *name, const char *const options[], const char *csv) {
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
    const int status = process_run(argv, NULL, false);
    free(argv[0]);
    free(argv);
    return status;
}

int driver_run(const char *bin, const char *name, const char *const options[], const char *scratch, record_list *list,
               driver_outcome *outcome, fault *f) {
    const size_t before = list->count;
    char *csv = text_format("%s/rows.csv", scratch);
    unlink(csv);
    const int status = execute(bin, name, options, csv);
    fault damaged = {{0}};
    if (file_exists(csv))
        record_read_csv(csv, list, damaged.text, sizeof damaged.text);
    unlink(csv);
    free(csv);
    *outcome = DRIVER_RAN;
    if (status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) {
        *outcome = DRIVER_INTERRUPTED;
        return 0;
    }
    if (exited_with(status, EXIT_USAGE) && list->count == before) {
        *outcome = DRIVER_REFUSED;
        return 0;
    }
    char *wrong = complaint(status, list, before, damaged.text[0] ? damaged.text : NULL);
    const int result = wrong ? driver_add_failure(list, name, wrong, f) : 0;
    if (wrong)
        printf("%s: FAIL: %s\n", name, wrong);
    free(wrong);
    return result;
}

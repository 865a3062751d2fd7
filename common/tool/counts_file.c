#include "counts_file.h"

#include "counts.h"
#include "list.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COLUMNS = 10 };

/* ---- Reading ------------------------------------------------------------------------------------------------------
 */

static bool to_integer(const char *text, int64_t *value) {
    char *end;
    errno = 0;
    *value = *text ? strtoll(text, &end, 10) : 0;
    return !*text || (*end == '\0' && errno == 0 && *value >= 0);
}

static bool to_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return *text && *end == '\0' && *value >= 0 && isfinite(*value);
}

static bool parse_row(char *line, count_row *row) {
    char *fields[COLUMNS];
    int64_t source_line;
    if (csv_split(line, fields, COLUMNS) != COLUMNS)
        return false;
    *row = (count_row){
        .stage = fields[0], .kernel = fields[1], .dtype = fields[2], .source = fields[6], .counter = fields[8]};
    if (!to_integer(fields[3], &row->m) || !to_integer(fields[4], &row->n) || !to_integer(fields[5], &row->k) ||
        !to_integer(fields[7], &source_line) || !to_number(fields[9], &row->value) || source_line > INT32_MAX)
        return false;
    row->line = (unsigned)source_line;
    return true;
}

static size_t count_lines(const char *text) {
    size_t count = 1;
    for (; *text; ++text)
        count += *text == '\n';
    return count;
}

int counts_read(const char *path, count_list *list, fault *f) {
    static char nothing[] = "";
    *list = (count_list){.text = read_file(path, f), .origin = nothing};
    if (!list->text)
        return -1;
    list->rows = calloc(count_lines(list->text), sizeof *list->rows);
    if (!list->rows)
        return counts_free(list), fault_set(f, "out of memory");
    bool header = false;
    unsigned number = 0;
    for (char *line = list->text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        const size_t length = strlen(line);
        if (length > 0 && line[length - 1] == '\r') /* a spreadsheet was here */
            line[length - 1] = '\0';
        ++number;
        if (*line == '#' && !*list->origin)
            list->origin = line + 1 + (line[1] == ' ');
        if (*line == '#' || *line == '\0')
            continue;
        const bool good = header ? parse_row(line, &list->rows[list->count]) : strcmp(line, COUNTS_HEADER) == 0;
        if (!good) {
            counts_free(list);
            return fault_set(f, "%.400s:%u: this is no file of counts (see ./ladder count --help)", path, number);
        }
        list->count += header;
        header = true;
    }
    return header ? 0 : (counts_free(list), fault_set(f, "%.400s holds no counts", path));
}

void counts_free(count_list *list) {
    free(list->rows);
    free(list->text);
    *list = (count_list){0};
}

/* ---- Asking -------------------------------------------------------------------------------------------------------
 */

bool counts_same_launch(const count_row *a, const count_row *b) {
    return a->m == b->m && a->n == b->n && a->k == b->k && strcmp(a->stage, b->stage) == 0 &&
           strcmp(a->kernel, b->kernel) == 0 && strcmp(a->dtype, b->dtype) == 0;
}

double counts_total(const count_list *list, const count_row *launch, const char *counter) {
    double sum = NAN;
    for (size_t i = 0; i < list->count; ++i)
        if (counts_same_launch(&list->rows[i], launch) && strcmp(list->rows[i].counter, counter) == 0)
            sum = (isnan(sum) ? 0 : sum) + list->rows[i].value;
    return sum;
}

double counts_a_launch(const count_list *list, const count_row *launch, const char *counter) {
    const double sum = counts_total(list, launch, counter), launches = counts_total(list, launch, "launches");
    return isnan(sum) ? 0 : launches > 0 ? sum / launches : sum;
}

double counts_of_line(const count_list *list, const count_row *launch, const char *source, unsigned line,
                      const char *counter) {
    double sum = NAN;
    for (size_t i = 0; i < list->count; ++i) {
        const count_row *row = &list->rows[i];
        if (counts_same_launch(row, launch) && row->line == line && strcmp(row->source, source) == 0 &&
            strcmp(row->counter, counter) == 0)
            sum = (isnan(sum) ? 0 : sum) + row->value;
    }
    return sum;
}

const count_row **counts_launches(const count_list *list, size_t *count) {
    const count_row **launches = calloc(list->count + 1, sizeof *launches);
    *count = 0;
    for (size_t i = 0; launches && i < list->count; ++i) {
        bool known = false;
        for (size_t j = *count; j > 0 && !known; --j)
            known = counts_same_launch(launches[j - 1], &list->rows[i]);
        if (!known)
            launches[(*count)++] = &list->rows[i];
    }
    return launches;
}

/* ---- Writing ------------------------------------------------------------------------------------------------------
 */

int counts_check_replaceable(const char *option, const char *path, fault *f) {
    struct stat status;
    count_list old = {0};
    if (!path)
        return 0;
    if (stat(path, &status) != 0 || (S_ISREG(status.st_mode) && status.st_size == 0))
        return check_writable(option, path, f);
    if (!S_ISREG(status.st_mode))
        return fault_set(f, "%s %.400s: it is not a plain file", option, path);
    const int result = counts_read(path, &old, f);
    counts_free(&old);
    return result == 0
               ? check_writable(option, path, f)
               : fault_set(f, "%s would replace %.400s, which is no file of counts; give a new name", option, path);
}

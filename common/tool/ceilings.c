#include "ceilings.h"
#include "list.h"

#include <stdlib.h>
#include <string.h>

static const char header[] = "gpu,kind,level,types,value,unit,label,source";
enum { COLUMNS = 8 };

static bool parse_row(char *line, ceiling *row) {
    char *fields[COLUMNS], *end;
    if (csv_split(line, fields, COLUMNS) != COLUMNS)
        return false;
    const bool bandwidth = strcmp(fields[1], "bandwidth") == 0;
    *row = (ceiling){.gpu = fields[0],
                     .bandwidth = bandwidth,
                     .level = fields[2],
                     .types = fields[3],
                     .value = strtod(fields[4], &end),
                     .label = fields[6],
                     .source = fields[7]};
    return (bandwidth || strcmp(fields[1], "ceiling") == 0) && *end == '\0' && row->value > 0 &&
           strcmp(fields[5], bandwidth ? "TB/s" : "TFLOP/s") == 0 && *row->source;
}

static size_t count_lines(const char *text) {
    size_t count = 1;
    for (; *text; ++text)
        count += *text == '\n';
    return count;
}

int ceilings_read(const char *path, ceiling_list *list, fault *f) {
    *list = (ceiling_list){.text = read_file(path, f)};
    if (!list->text)
        return -1;
    list->rows = calloc(count_lines(list->text), sizeof *list->rows);
    if (!list->rows)
        return ceilings_free(list), fault_set(f, "out of memory");
    bool begun = false;
    unsigned number = 0;
    for (char *line = list->text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        ++number;
        if (*line == '#' || *line == '\0')
            continue;
        if (begun ? !parse_row(line, &list->rows[list->count]) : strcmp(line, header) != 0) {
            ceilings_free(list);
            return fault_set(f, "%.400s:%u: this is no row of %s, with TB/s of a bandwidth, TFLOP/s of a ceiling", path,
                             number, header);
        }
        list->count += begun;
        begun = true;
    }
    return 0;
}

void ceilings_free(ceiling_list *list) {
    free(list->rows);
    free(list->text);
    *list = (ceiling_list){0};
}

bool ceiling_applies(const ceiling *c, const char *gpu, const char *dtype) {
    if (strcmp(c->gpu, gpu) != 0)
        return false;
    char *types = text_format(" %s ", c->types), *type = text_format(" %s ", dtype);
    const bool applies = strstr(types, type) != NULL;
    free(types);
    free(type);
    return applies;
}

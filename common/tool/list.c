#include "list.h"

#include "files.h"

#include <stdlib.h>
#include <string.h>

void list_add(string_list *list, char *owned) {
    char **items = realloc(list->items, (list->count + 2) * sizeof *items);
    if (!items) {
        fputs("ladder: out of memory\n", stderr);
        exit(EXIT_WORK);
    }
    list->items = items;
    items[list->count++] = owned;
    items[list->count] = NULL;
}

void list_copy(string_list *list, const char *text) { list_add(list, text_format("%s", text)); }

void list_append(string_list *list, const string_list *more) {
    for (size_t i = 0; i < more->count; ++i)
        list_copy(list, more->items[i]);
}

bool list_has(const string_list *list, const char *text) {
    for (size_t i = 0; i < list->count; ++i)
        if (strcmp(list->items[i], text) == 0)
            return true;
    return false;
}

char *list_join(const string_list *list, const char *separator) {
    text_stream stream;
    text_open(&stream);
    for (size_t i = 0; i < list->count; ++i)
        fprintf(stream.out, "%s%s", list->items[i], separator);
    text_close(&stream);
    return stream.text;
}

void list_free(string_list *list) {
    for (size_t i = 0; i < list->count; ++i)
        free(list->items[i]);
    free(list->items);
    *list = (string_list){0};
}

size_t csv_split(char *line, char *fields[], size_t most) {
    size_t count = 0;
    for (char *in = line;; ++in) {
        if (count == most)
            return most + 1;
        char *out = fields[count++] = in;
        bool quoted = *in == '"';
        for (in += quoted; *in && (quoted || *in != ','); ++in) {
            if (quoted && *in == '"' && in[1] == '"')
                ++in;
            else if (quoted && *in == '"') {
                quoted = false;
                continue;
            }
            *out++ = *in;
        }
        const bool last = *in == '\0';
        *out = '\0';
        if (last)
            return count;
    }
}

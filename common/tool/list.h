/* Lists of strings, such as command lines. Memory running out ends the program, as for text_format(). */
#ifndef TOOL_LIST_H
#define TOOL_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct string_list {
    char **items; /* NULL after the last, as execvp() wants it; owned */
    size_t count;
} string_list;

/* Appends a string that the list then owns. */
void list_add(string_list *list, char *owned);
/* Appends a copy. */
void list_copy(string_list *list, const char *text);
void list_append(string_list *list, const string_list *more);
bool list_has(const string_list *list, const char *text);
/* All strings, each followed by the separator; the caller frees it. */
char *list_join(const string_list *list, const char *separator);
void list_free(string_list *list);

/* The fields of one line of a CSV file, which is split in place; quoted fields lose their quotes. `fields` has room for
 * `most`. Returns how many there were, most + 1 for more. */
size_t csv_split(char *line, char *fields[], size_t most);

#endif

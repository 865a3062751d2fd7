/* A table of text cells, printed aligned for a terminal or as Markdown. */
#ifndef TOOL_GRID_H
#define TOOL_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct grid {
    char **cells; /* row by row, owned; the first row is the heading */
    size_t count, capacity;
    size_t columns;
    const char *align; /* one of 'l' and 'r' a column */
} grid;

typedef enum { GRID_TEXT, GRID_MARKDOWN } grid_format;

/* `align` is borrowed and its length is the number of columns; `headings` has that many. */
void grid_open(grid *g, const char *align, const char *const headings[]);
/* Appends the next cell, row by row. Takes over `cell`, which free() must accept. */
void grid_add(grid *g, char *cell);
/* Data rows, without the heading. */
size_t grid_rows(const grid *g);
/* Text that cannot end a table's cell or line, nor be taken for markup such as <!-- table:end -->. */
void put_markdown_text(FILE *out, const char *text);
void grid_print(const grid *g, grid_format format, FILE *out);
void grid_close(grid *g);

/* Columns that a terminal uses for UTF-8 text: two for CJK, none for combining marks, one for a malformed byte. */
size_t display_width(const char *text);

#endif

#include "grid.h"
#include "files.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Decodes one character and moves past it; a malformed byte counts as one character of its own. */
static uint32_t next_code_point(const unsigned char **p) {
    const unsigned char lead = *(*p)++;
    const int more = lead >= 0xF0 && lead < 0xF5 ? 3 : lead >= 0xE0 && lead < 0xF0 ? 2 : lead >= 0xC2 && lead < 0xE0;
    uint32_t code = more ? lead & (0x3Fu >> more) : lead;
    for (int i = 0; i < more; ++i) {
        if (((*p)[i] & 0xC0) != 0x80)
            return lead;
        code = code << 6 | ((*p)[i] & 0x3Fu);
    }
    *p += more;
    return code;
}

/* East Asian Wide and Fullwidth blocks (Unicode Standard Annex 11), as far as tables here may meet them. */
static size_t code_point_width(uint32_t c) {
    static const uint32_t wide[][2] = {{0x1100, 0x115F},   {0x2E80, 0xA4CF},  {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE4F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
                                       {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    if ((c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F))
        return 0;
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; ++i)
        if (c >= wide[i][0] && c <= wide[i][1])
            return 2;
    return 1;
}

size_t display_width(const char *text) {
    size_t width = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p;)
        width += code_point_width(next_code_point(&p));
    return width;
}

void grid_open(grid *g, const char *align, const char *const headings[]) {
    *g = (grid){.columns = strlen(align), .align = align};
    for (size_t i = 0; i < g->columns; ++i)
        grid_add(g, text_format("%s", headings[i]));
}

/* A line break would tear the row apart. */
static void flatten(char *cell) {
    for (; *cell; ++cell)
        if ((unsigned char)*cell < ' ')
            *cell = ' ';
}

void grid_add(grid *g, char *cell) {
    if (g->count == g->capacity) {
        const size_t capacity = g->capacity ? 2 * g->capacity : 64;
        char **cells = realloc(g->cells, capacity * sizeof *cells);
        if (!cells) {
            fputs("ladder: out of memory; nothing was written\n", stderr);
            exit(EXIT_WORK);
        }
        g->cells = cells;
        g->capacity = capacity;
    }
    flatten(cell);
    g->cells[g->count++] = cell;
}

size_t grid_rows(const grid *g) { return g->count / g->columns - 1; }

static const char *cell(const grid *g, size_t row, size_t column) { return g->cells[row * g->columns + column]; }

static size_t column_width(const grid *g, size_t column) {
    size_t width = 0;
    for (size_t row = 0; row <= grid_rows(g); ++row) {
        const size_t w = display_width(cell(g, row, column));
        width = w > width ? w : width;
    }
    return width;
}

static void put_repeated(FILE *out, const char *text, size_t times) {
    while (times-- > 0)
        fputs(text, out);
}

static void put_text_row(const grid *g, size_t row, const size_t *width, FILE *out) {
    for (size_t i = 0; i < g->columns; ++i) {
        const char *text = cell(g, row, i);
        const size_t fill = width[i] - display_width(text);
        const bool right = g->align[i] == 'r';
        if (i)
            fputs("  ", out);
        put_repeated(out, " ", right ? fill : 0);
        fputs(text, out);
        put_repeated(out, " ", right || i + 1 == g->columns ? 0 : fill);
    }
    putc('\n', out);
}

static void print_text(const grid *g, FILE *out) {
    size_t width[64];
    for (size_t i = 0; i < g->columns; ++i)
        width[i] = column_width(g, i);
    put_text_row(g, 0, width, out);
    for (size_t i = 0; i < g->columns; ++i) {
        if (i)
            fputs("  ", out);
        put_repeated(out, "─", width[i]);
    }
    putc('\n', out);
    for (size_t row = 1; row <= grid_rows(g); ++row)
        put_text_row(g, row, width, out);
}

void put_markdown_text(FILE *out, const char *text) {
    for (; *text; ++text) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '|')
            fputs("\\|", out);
        else
            putc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

static void put_markdown_row(const grid *g, size_t row, FILE *out) {
    for (size_t i = 0; i < g->columns; ++i) {
        fputs("| ", out);
        put_markdown_text(out, cell(g, row, i));
        putc(' ', out);
    }
    fputs("|\n", out);
}

static void print_markdown(const grid *g, FILE *out) {
    put_markdown_row(g, 0, out);
    for (size_t i = 0; i < g->columns; ++i)
        fputs(g->align[i] == 'r' ? "|---:" : "|---", out);
    fputs("|\n", out);
    for (size_t row = 1; row <= grid_rows(g); ++row)
        put_markdown_row(g, row, out);
}

void grid_print(const grid *g, grid_format format, FILE *out) {
    if (format == GRID_MARKDOWN)
        print_markdown(g, out);
    else
        print_text(g, out);
}

void grid_close(grid *g) {
    for (size_t i = 0; i < g->count; ++i)
        free(g->cells[i]);
    free(g->cells);
    *g = (grid){0};
}

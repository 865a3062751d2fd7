/* A paragraph for people: shared by what prints findings here and what prints them elsewhere. */
#ifndef CPU_DEVICE_WRAPPED_H
#define CPU_DEVICE_WRAPPED_H

#include <stdio.h>
#include <string.h>

/* Prints the words of `text` on lines of at most 100 columns, each line behind `indent` blanks. */
static inline void put_wrapped(FILE *out, const char *text, int indent) {
    int column = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        const int length = (int)strcspn(text, " ");
        if (column > 0 && column + 1 + length > 100) {
            putc('\n', out);
            column = 0;
        }
        column += column == 0 ? fprintf(out, "%*s%.*s", indent, "", length, text) : fprintf(out, " %.*s", length, text);
        text += length;
    }
    putc('\n', out);
}

#endif

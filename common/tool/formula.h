/* Index formulas as they stand in a kernel: C expressions over integers, evaluated in 64 bits.
 *
 * Operators, as C binds them: ?: || && | ^ & == != < <= > >= << >> + - * / % and the unary + - ~ !, with parentheses.
 * Numbers are decimal, 0x hexadecimal, or octal with a leading 0. As in C, what && || ?: do not reach is not computed:
 * t ? 32 / t : 0 is no division by zero.
 */
#ifndef TOOL_FORMULA_H
#define TOOL_FORMULA_H

#include "tool.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct formula_name {
    const char *name;
    int64_t value;
} formula_name;

/* What the names in a formula stand for. Of two of one name the first counts. */
typedef struct formula_scope {
    const formula_name *names;
    size_t count;
} formula_scope;

/* Whether `text`, of `length` characters, is a name: a letter or _, then letters, digits and _. */
bool formula_is_name(const char *text, size_t length);

/* Whether `name` stands in the formula. */
bool formula_mentions(const char *text, const char *name);

/* Evaluates the whole of `text`. Returns 0, or -1 with a sentence that begins with `what` (a flag, say) and gives the
 * position, counted from 1: unknown names, left-over text, division by zero, overflow, shifts by less than 0 or more
 * than 63, nesting deeper than 64. */
int formula_evaluate(const char *text, const formula_scope *scope, const char *what, int64_t *value, fault *f);

#endif

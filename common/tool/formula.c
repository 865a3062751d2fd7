/* A recursive-descent parser that computes as it reads: a formula is short, and evaluated for 32 lanes only. */
#include "formula.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, UNREACHED = 0 };

typedef struct parser {
    const char *text, *at;
    const formula_scope *scope;
    const char *what;
    unsigned depth;
    bool failed;
    fault *f;
} parser;

static int64_t parse_choice(parser *p, bool live);

/* The first error is the one that is told. */
static int64_t fail(parser *p, const char *at, const char *why) {
    if (!p->failed)
        fault_set(p->f, "%s: position %zu: %s", p->what, (size_t)(at - p->text) + 1, why);
    p->failed = true;
    return UNREACHED;
}

static void skip_blanks(parser *p) {
    while (*p->at == ' ')
        ++p->at;
}

static bool accept(parser *p, char wanted) {
    skip_blanks(p);
    if (*p->at != wanted)
        return false;
    ++p->at;
    return true;
}

static bool deeper(parser *p) {
    if (++p->depth <= MAX_DEPTH)
        return true;
    fail(p, p->at, "nested more than 64 deep; write it with fewer parentheses");
    return false;
}

/* ---- What stands between operators --------------------------------------------------------------------------------
 */

static bool name_character(char c) { return isalnum((unsigned char)c) || c == '_'; }

bool formula_is_name(const char *text, size_t length) {
    for (size_t i = 0; i < length; ++i)
        if (!name_character(text[i]))
            return false;
    return length > 0 && !isdigit((unsigned char)*text);
}

bool formula_mentions(const char *text, const char *name) {
    const size_t wanted = strlen(name);
    for (const char *at = text; *at;) {
        size_t length = 0;
        while (name_character(at[length]))
            ++length;
        if (length == wanted && memcmp(at, name, length) == 0)
            return true;
        at += length ? length : 1;
    }
    return false;
}

static int64_t parse_number(parser *p) {
    const char *begin = p->at;
    char *end;
    errno = 0;
    const long long value = strtoll(begin, &end, 0);
    p->at = end;
    if (errno == ERANGE)
        return fail(p, begin, "the number does not fit into 64 bits");
    if (name_character(*end) || *end == '.')
        return fail(p, end, "the number goes on in a way that a whole number does not (08 is no octal one either)");
    return value;
}

static int64_t parse_name(parser *p) {
    const char *begin = p->at;
    while (name_character(*p->at))
        ++p->at;
    const size_t length = (size_t)(p->at - begin);
    for (size_t i = 0; i < p->scope->count; ++i)
        if (strlen(p->scope->names[i].name) == length && memcmp(p->scope->names[i].name, begin, length) == 0)
            return p->scope->names[i].value;
    char why[256];
    size_t used =
        (size_t)snprintf(why, sizeof why, "%.*s is unknown here; known are", (int)(length < 40 ? length : 40), begin);
    for (size_t i = 0; i < p->scope->count && used < sizeof why; ++i)
        used += (size_t)snprintf(why + used, sizeof why - used, " %s", p->scope->names[i].name);
    if (used < sizeof why)
        snprintf(why + used, sizeof why - used, "; -D gives a constant");
    return fail(p, begin, p->scope->count > 0 ? why : "names have no value here; write a number");
}

static int64_t parse_operand(parser *p, bool live) {
    skip_blanks(p);
    if (isdigit((unsigned char)*p->at))
        return parse_number(p);
    if (name_character(*p->at))
        return parse_name(p);
    if (!accept(p, '('))
        return fail(p, p->at, *p->at ? "a number, a name or ( should stand here" : "the formula ends too early");
    const int64_t value = parse_choice(p, live);
    if (!p->failed && !accept(p, ')'))
        return fail(p, p->at, "a ) is missing here");
    return value;
}

static int64_t negative(parser *p, const char *at, int64_t value, bool live) {
    int64_t result = 0;
    return __builtin_sub_overflow((int64_t)0, value, &result) && live ? fail(p, at, "- overflows 64 bits") : result;
}

static int64_t parse_unary(parser *p, bool live) {
    skip_blanks(p);
    const char *at = p->at;
    if (!*at || !strchr("+-~!", *at))
        return parse_operand(p, live);
    ++p->at;
    if (!deeper(p))
        return UNREACHED;
    const int64_t value = parse_unary(p, live);
    --p->depth;
    return *at == '-' ? negative(p, at, value, live) : *at == '~' ? ~value : *at == '!' ? !value : value;
}

/* ---- Operators with two operands ----------------------------------------------------------------------------------
 */

typedef enum operation {
    OR_ELSE,
    AND_THEN,
    BIT_OR,
    BIT_XOR,
    BIT_AND,
    EQUAL,
    UNEQUAL,
    AT_MOST,
    AT_LEAST,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    LESS,
    MORE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
} operation;

/* Longer spellings come first. Of two levels the higher binds its operands more tightly. */
static const struct binary {
    const char *spelling;
    operation what;
    unsigned level;
} binaries[] = {
    {"||", OR_ELSE, 1},  {"&&", AND_THEN, 2},   {"==", EQUAL, 6},       {"!=", UNEQUAL, 6}, {"<=", AT_MOST, 7},
    {">=", AT_LEAST, 7}, {"<<", SHIFT_LEFT, 8}, {">>", SHIFT_RIGHT, 8}, {"|", BIT_OR, 3},   {"^", BIT_XOR, 4},
    {"&", BIT_AND, 5},   {"<", LESS, 7},        {">", MORE, 7},         {"+", ADD, 9},      {"-", SUBTRACT, 9},
    {"*", MULTIPLY, 10}, {"/", DIVIDE, 10},     {"%", REMAINDER, 10},
};

static const struct binary *find_binary(parser *p) {
    skip_blanks(p);
    for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; ++i)
        if (strncmp(p->at, binaries[i].spelling, strlen(binaries[i].spelling)) == 0)
            return &binaries[i];
    return NULL;
}

static int64_t divide(parser *p, const char *at, operation what, int64_t a, int64_t b) {
    if (b == 0)
        return fail(p, at, "division by zero");
    if (a == INT64_MIN && b == -1)
        return fail(p, at, "/ or % overflows 64 bits");
    return what == DIVIDE ? a / b : a % b;
}

static int64_t shift(parser *p, const char *at, operation what, int64_t a, int64_t b) {
    if (b < 0 || b > 63)
        return fail(p, at, "a shift must be by 0 to 63");
    if (what == SHIFT_RIGHT)
        return a >> b;
    if (a < 0 || a > INT64_MAX >> b)
        return fail(p, at, "<< overflows 64 bits, or shifts a negative number");
    return a << b;
}

static int64_t compute_whole(parser *p, const char *at, operation what, int64_t a, int64_t b) {
    int64_t result = 0;
    bool overflow = false;
    switch (what) {
    case ADD:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case SUBTRACT:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case MULTIPLY:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case DIVIDE:
    case REMAINDER:
        return divide(p, at, what, a, b);
    default:
        return shift(p, at, what, a, b);
    }
    return overflow ? fail(p, at, "the result overflows 64 bits") : result;
}

static int64_t compute(parser *p, const char *at, operation what, int64_t a, int64_t b) {
    switch (what) {
    case OR_ELSE:
        return a || b;
    case AND_THEN:
        return a && b;
    case BIT_OR:
        return a | b;
    case BIT_XOR:
        return a ^ b;
    case BIT_AND:
        return a & b;
    case EQUAL:
        return a == b;
    case UNEQUAL:
        return a != b;
    case AT_MOST:
        return a <= b;
    case AT_LEAST:
        return a >= b;
    case LESS:
        return a < b;
    case MORE:
        return a > b;
    default:
        return compute_whole(p, at, what, a, b);
    }
}

/* Operators of `level` and tighter ones; equal ones from left to right. */
static int64_t parse_binary(parser *p, unsigned level, bool live) {
    int64_t a = parse_unary(p, live);
    for (const struct binary *o = find_binary(p); !p->failed && o && o->level >= level; o = find_binary(p)) {
        const char *at = p->at;
        p->at += strlen(o->spelling);
        const bool reached = live && !(o->what == OR_ELSE && a) && !(o->what == AND_THEN && !a);
        const int64_t b = parse_binary(p, o->level + 1, reached);
        a = p->failed ? UNREACHED : reached ? compute(p, at, o->what, a, b) : a != 0;
    }
    return a;
}

static int64_t parse_choice(parser *p, bool live) {
    if (!deeper(p))
        return UNREACHED;
    int64_t value = parse_binary(p, 1, live);
    if (!p->failed && accept(p, '?')) {
        const bool condition = value != 0;
        const int64_t yes = parse_choice(p, live && condition);
        if (!p->failed && !accept(p, ':'))
            fail(p, p->at, "a : is missing here, after the ?");
        const int64_t no = p->failed ? UNREACHED : parse_choice(p, live && !condition);
        value = condition ? yes : no;
    }
    --p->depth;
    return value;
}

int formula_evaluate(const char *text, const formula_scope *scope, const char *what, int64_t *value, fault *f) {
    parser p = {.text = text, .at = text, .scope = scope, .what = what, .f = f};
    *value = parse_choice(&p, true);
    skip_blanks(&p);
    if (!p.failed && *p.at)
        fail(&p, p.at,
             *p.at == '=' ? "= is no operator of a formula; == compares"
                          : "the formula should end here, or go on with an operator");
    return p.failed ? -1 : 0;
}

#include "launch_rewrite.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name that the CPU device gives to dynamic shared memory (scheduler.c). */
#define DYNAMIC_SHARED_NAME "smem"

#define NONE SIZE_MAX

enum token_kind { IDENTIFIER, NUMBER, LITERAL, PUNCTUATOR };

struct token {
    enum token_kind kind;
    size_t start, length;
    unsigned line;
    /* 0 for code; each macro body has a number of its own, so that no launch reaches into or out of one. */
    unsigned region;
};

struct edit {
    size_t start, length; /* what is replaced; length 0 inserts */
    const char *text;
};

struct rewriter {
    const char *source;
    size_t length, position;
    unsigned line;
    unsigned region, regions;
    struct token *tokens;
    size_t token_count, token_room;
    struct edit *edits;
    size_t edit_count, edit_room;
    struct rewrite_error *error;
};

__attribute__((format(printf, 3, 4))) static bool fail(struct rewriter *r, unsigned line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error->message, sizeof r->error->message, format, arguments);
    va_end(arguments);
    r->error->line = line;
    return false;
}

/* Makes room for one more element of an array. */
static bool grow(struct rewriter *r, void **array, size_t *room, size_t count, size_t element_size) {
    if (count < *room)
        return true;
    size_t new_room = *room ? 2 * *room : 256;
    void *new_array = realloc(*array, new_room * element_size);
    if (!new_array)
        return fail(r, r->line, "There is not enough memory to read this file.");
    *array = new_array;
    *room = new_room;
    return true;
}

/* ---- Tokens ---- */

static int peek(const struct rewriter *r, size_t ahead) {
    size_t at = r->position + ahead;
    return at < r->length ? (unsigned char)r->source[at] : -1;
}

static void advance(struct rewriter *r, size_t count) {
    for (; count > 0 && r->position < r->length; count--)
        if (r->source[r->position++] == '\n')
            r->line++;
}

static bool is_identifier_start(int c) { return c == '_' || c == '$' || c >= 0x80 || (c >= 0 && isalpha(c)); }
static bool is_identifier_part(int c) { return is_identifier_start(c) || (c >= 0 && isdigit(c)); }

/* Length of a backslash-newline at the current position, 0 if there is none. */
static size_t splice_length(const struct rewriter *r) {
    if (peek(r, 0) != '\\')
        return 0;
    if (peek(r, 1) == '\n')
        return 2;
    return peek(r, 1) == '\r' && peek(r, 2) == '\n' ? 3 : 0;
}

static bool skip_block_comment(struct rewriter *r) {
    unsigned line = r->line;
    advance(r, 2);
    while (peek(r, 0) >= 0) {
        if (peek(r, 0) == '*' && peek(r, 1) == '/') {
            advance(r, 2);
            return true;
        }
        advance(r, 1);
    }
    return fail(r, line, "This comment is never closed.");
}

static void skip_to_line_end(struct rewriter *r) {
    while (peek(r, 0) >= 0 && peek(r, 0) != '\n') {
        size_t splice = splice_length(r);
        advance(r, splice ? splice : 1);
    }
}

static bool add_token(struct rewriter *r, enum token_kind kind, size_t start, unsigned line) {
    if (!grow(r, (void **)&r->tokens, &r->token_room, r->token_count, sizeof *r->tokens))
        return false;
    r->tokens[r->token_count++] = (struct token){kind, start, r->position - start, line, r->region};
    return true;
}

/* A quote without a partner on its line is no literal: text in a dead #if branch may hold an apostrophe. The compiler
   judges the rest. */
static void skip_quoted(struct rewriter *r) {
    int quote = peek(r, 0);
    size_t length = 1;
    for (;;) {
        int c = peek(r, length);
        if (c < 0 || c == '\n') {
            length = 1;
            break;
        }
        length++;
        if (c == quote)
            break;
        if (c == '\\') {
            if (peek(r, length) == '\r' && peek(r, length + 1) == '\n')
                length++;
            length++;
        }
    }
    advance(r, length);
}

/* At the quote of R"delimiter( ... )delimiter". */
static bool skip_raw_string(struct rewriter *r) {
    enum { LONGEST_DELIMITER = 16 };
    unsigned line = r->line;
    size_t delimiter = r->position + 1, length = 0;
    while (length <= LONGEST_DELIMITER && delimiter + length < r->length && r->source[delimiter + length] != '(')
        length++;
    if (length > LONGEST_DELIMITER || delimiter + length >= r->length)
        return fail(r, line, "This raw string has no opening parenthesis.");
    advance(r, length + 2);
    for (; r->position < r->length; advance(r, 1)) {
        size_t end = r->position + 1 + length;
        if (peek(r, 0) == ')' && end < r->length && r->source[end] == '"' &&
            memcmp(r->source + r->position + 1, r->source + delimiter, length) == 0) {
            advance(r, length + 2);
            return true;
        }
    }
    return fail(r, line, "This raw string is never closed.");
}

static bool text_is(const char *text, size_t length, const char *expected) {
    return strlen(expected) == length && memcmp(text, expected, length) == 0;
}

static bool is_one_of(const char *text, size_t length, const char *const *words) {
    for (; *words; words++)
        if (text_is(text, length, *words))
            return true;
    return false;
}

static bool read_word(struct rewriter *r) {
    static const char *const raw_prefixes[] = {"R", "LR", "uR", "UR", "u8R", NULL};
    static const char *const prefixes[] = {"L", "u", "U", "u8", NULL};
    size_t start = r->position;
    unsigned line = r->line;
    while (is_identifier_part(peek(r, 0)))
        advance(r, 1);
    const char *word = r->source + start;
    size_t length = r->position - start;
    if (peek(r, 0) == '"' && is_one_of(word, length, raw_prefixes))
        return skip_raw_string(r) && add_token(r, LITERAL, start, line);
    if ((peek(r, 0) == '"' || peek(r, 0) == '\'') && is_one_of(word, length, prefixes)) {
        skip_quoted(r);
        return add_token(r, LITERAL, start, line);
    }
    return add_token(r, IDENTIFIER, start, line);
}

/* A preprocessing number, with its digit separators and signed exponents. */
static bool read_number(struct rewriter *r) {
    size_t start = r->position;
    unsigned line = r->line;
    for (;;) {
        int c = peek(r, 0), next = peek(r, 1);
        bool exponent = (c == 'e' || c == 'E' || c == 'p' || c == 'P') && (next == '+' || next == '-');
        if (exponent || (c == '\'' && is_identifier_part(next)))
            advance(r, 2);
        else if (c == '.' || is_identifier_part(c))
            advance(r, 1);
        else
            break;
    }
    return add_token(r, NUMBER, start, line);
}

/* Runs of < and of > stay together: only their surroundings tell template brackets, shifts and launches apart. */
static size_t punctuator_length(const struct rewriter *r) {
    static const char *const pairs[] = {"::", "->", "<=", ">=", "==", "!=", "&&", "||", "##", "+=",
                                        "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", NULL};
    int c = peek(r, 0);
    if (c == '<' || c == '>') {
        size_t run = 1;
        while (peek(r, run) == c)
            run++;
        if (run > 1)
            return run < 3 && peek(r, run) == '=' ? run + 1 : run;
    }
    if (peek(r, 1) >= 0 && is_one_of(r->source + r->position, 2, pairs))
        return 2;
    return 1;
}

static bool skip_space_and_comments(struct rewriter *r, bool stop_at_line_end) {
    for (;;) {
        size_t splice = splice_length(r);
        int c = peek(r, 0);
        if (splice)
            advance(r, splice);
        else if (c == '\n' && stop_at_line_end)
            return true;
        else if (c >= 0 && isspace(c))
            advance(r, 1);
        else if (c == '/' && peek(r, 1) == '/')
            skip_to_line_end(r);
        else if (c == '/' && peek(r, 1) == '*') {
            if (!skip_block_comment(r))
                return false;
        } else
            return true;
    }
}

static bool read_token(struct rewriter *r) {
    int c = peek(r, 0), next = peek(r, 1);
    if (is_identifier_start(c))
        return read_word(r);
    if (isdigit(c) || (c == '.' && next >= 0 && isdigit(next)))
        return read_number(r);
    size_t start = r->position;
    unsigned line = r->line;
    if (c == '"' || c == '\'') {
        skip_quoted(r);
        return add_token(r, LITERAL, start, line);
    }
    advance(r, punctuator_length(r));
    return add_token(r, PUNCTUATOR, start, line);
}

/* The name and the parameters of a macro are no part of its body. */
static bool skip_macro_head(struct rewriter *r) {
    if (!skip_space_and_comments(r, true))
        return false;
    while (is_identifier_part(peek(r, 0)))
        advance(r, 1);
    if (peek(r, 0) != '(')
        return true;
    while (peek(r, 0) >= 0 && peek(r, 0) != '\n' && peek(r, 0) != ')') {
        size_t splice = splice_length(r);
        advance(r, splice ? splice : 1);
    }
    if (peek(r, 0) == ')')
        advance(r, 1);
    return true;
}

/* At the # of a directive. */
static bool read_directive(struct rewriter *r) {
    advance(r, 1);
    if (!skip_space_and_comments(r, true))
        return false;
    size_t start = r->position;
    while (is_identifier_part(peek(r, 0)))
        advance(r, 1);
    bool is_define = text_is(r->source + start, r->position - start, "define");
    if (is_define) {
        if (!skip_macro_head(r))
            return false;
        r->region = ++r->regions;
    }
    for (;;) {
        if (!skip_space_and_comments(r, true))
            return false;
        if (peek(r, 0) < 0 || peek(r, 0) == '\n')
            break;
        if (!is_define)
            advance(r, 1); /* #error and #pragma hold any text */
        else if (!read_token(r))
            return false;
    }
    r->region = 0;
    return true;
}

static bool read_all_tokens(struct rewriter *r) {
    bool line_start = true;
    for (;;) {
        unsigned line = r->line;
        if (!skip_space_and_comments(r, false))
            return false;
        if (r->line != line)
            line_start = true;
        if (peek(r, 0) < 0)
            return true;
        bool ok = line_start && peek(r, 0) == '#' ? read_directive(r) : read_token(r);
        if (!ok)
            return false;
        line_start = false;
    }
}

/* ---- Finding one's way among tokens ---- */

static size_t next_token(const struct rewriter *r, size_t at) {
    unsigned region = r->tokens[at].region;
    for (size_t i = at + 1; i < r->token_count; i++) {
        if (r->tokens[i].region == region)
            return i;
        if (region != 0)
            return NONE;
    }
    return NONE;
}

static size_t previous_token(const struct rewriter *r, size_t at) {
    unsigned region = r->tokens[at].region;
    for (size_t i = at; i-- > 0;) {
        if (r->tokens[i].region == region)
            return i;
        if (region != 0)
            return NONE;
    }
    return NONE;
}

static bool token_is(const struct rewriter *r, size_t at, const char *text) {
    return at != NONE && text_is(r->source + r->tokens[at].start, r->tokens[at].length, text);
}

static char first_character(const struct rewriter *r, size_t at) { return r->source[r->tokens[at].start]; }

/* Length of a token that consists of `c` alone, however often; otherwise 0. */
static size_t run_of(const struct rewriter *r, size_t at, char c) {
    if (at == NONE || r->tokens[at].kind != PUNCTUATOR)
        return 0;
    const struct token *t = &r->tokens[at];
    return r->source[t->start + t->length - 1] == c && first_character(r, at) == c ? t->length : 0;
}

static bool is_opening(const struct rewriter *r, size_t at) {
    return token_is(r, at, "(") || token_is(r, at, "[") || token_is(r, at, "{");
}

static bool is_closing(const struct rewriter *r, size_t at) {
    return token_is(r, at, ")") || token_is(r, at, "]") || token_is(r, at, "}");
}

static size_t matching_closing(const struct rewriter *r, size_t at) {
    size_t depth = 0;
    for (; at != NONE; at = next_token(r, at)) {
        if (is_opening(r, at))
            depth++;
        else if (is_closing(r, at) && --depth == 0)
            return at;
    }
    return NONE;
}

static size_t matching_opening(const struct rewriter *r, size_t at) {
    size_t depth = 0;
    for (; at != NONE; at = previous_token(r, at)) {
        if (is_closing(r, at))
            depth++;
        else if (is_opening(r, at) && --depth == 0)
            return at;
    }
    return NONE;
}

/* ---- The kernel expression, read backwards from <<< ---- */

static bool is_name(const struct rewriter *r, size_t at) {
    static const char *const keywords[] = {
        "if",    "else",   "for",      "while",     "do",       "switch",   "case",   "return",  "goto",   "new",
        "throw", "delete", "operator", "co_return", "co_yield", "co_await", "sizeof", "alignof", "typeid", NULL};
    return at != NONE && r->tokens[at].kind == IDENTIFIER &&
           !is_one_of(r->source + r->tokens[at].start, r->tokens[at].length, keywords);
}

/* The < that the run of > at `at` closes: as many levels as it has characters. */
static size_t template_opening(const struct rewriter *r, size_t at) {
    size_t depth = 0;
    while (at != NONE) {
        if (is_closing(r, at)) {
            at = matching_opening(r, at);
            if (at == NONE)
                return NONE;
        } else if (is_opening(r, at) || token_is(r, at, ";")) {
            return NONE;
        } else if (run_of(r, at, '>')) {
            depth += run_of(r, at, '>');
        } else if (token_is(r, at, "<") && --depth == 0) {
            /* In k<a < b> this is the comparison; the bracket lies further back. */
            size_t name = previous_token(r, at);
            if (!token_is(r, name == NONE ? NONE : previous_token(r, name), "<"))
                return at;
            depth = 1;
        }
        at = previous_token(r, at);
    }
    return NONE;
}

/* In `if (x) (*f)<<<...`, the parentheses of the condition are no part of the kernel. */
static bool closes_a_condition(const struct rewriter *r, size_t at) {
    if (!token_is(r, at, ")"))
        return false;
    size_t opening = matching_opening(r, at);
    size_t before = opening == NONE ? NONE : previous_token(r, opening);
    static const char *const words[] = {"if", "for", "while", "switch", "constexpr", NULL};
    return before != NONE && is_one_of(r->source + r->tokens[before].start, r->tokens[before].length, words);
}

/* First token of the postfix expression whose last token is `last`, or NONE. */
static size_t expression_start(const struct rewriter *r, size_t last) {
    size_t at = last;
    for (;;) {
        /* One component: name, name<...>, (...), [...] */
        if (run_of(r, at, '>')) {
            size_t opening = template_opening(r, at);
            at = opening == NONE ? NONE : previous_token(r, opening);
            if (!is_name(r, at))
                return NONE;
        } else if (token_is(r, at, ")") || token_is(r, at, "]")) {
            bool is_index = token_is(r, at, "]");
            at = matching_opening(r, at);
            if (at == NONE)
                return NONE;
            size_t before = previous_token(r, at);
            bool applied = is_name(r, before) || token_is(r, before, "]") ||
                           (token_is(r, before, ")") && !closes_a_condition(r, before)) ||
                           (!is_index && run_of(r, before, '>'));
            if (applied) {
                at = before;
                continue;
            }
            return is_index ? NONE : at;
        } else if (!is_name(r, at)) {
            return NONE;
        }
        /* What ties it to the component before. */
        size_t before = previous_token(r, at);
        if (token_is(r, before, "template")) {
            at = before;
            before = previous_token(r, at);
        }
        if (token_is(r, before, "::")) {
            at = before;
            before = previous_token(r, at);
            if (!is_name(r, before) && !run_of(r, before, '>'))
                return at;
        } else if (!token_is(r, before, ".") && !token_is(r, before, "->") && !token_is(r, before, "##")) {
            return at;
        } else {
            before = previous_token(r, before);
        }
        at = before;
        if (at == NONE)
            return NONE;
    }
}

/* ---- Edits ---- */

static bool add_edit(struct rewriter *r, size_t start, size_t length, const char *text) {
    if (!grow(r, (void **)&r->edits, &r->edit_room, r->edit_count, sizeof *r->edits))
        return false;
    r->edits[r->edit_count++] = (struct edit){start, length, text};
    return true;
}

/* The run of > that closes the launch at `at`, or NONE with an error. The last three of its characters count: v<T>>>>
   ends a template as well. */
static size_t launch_closing(struct rewriter *r, size_t at) {
    unsigned line = r->tokens[at].line;
    for (size_t i = next_token(r, at); i != NONE; i = next_token(r, i)) {
        if (is_opening(r, i)) {
            i = matching_closing(r, i);
            if (i == NONE)
                break;
        } else if (is_closing(r, i) || token_is(r, i, ";") || run_of(r, i, '<') >= 3) {
            break;
        } else if (run_of(r, i, '>') >= 3) {
            size_t after = next_token(r, i);
            if (token_is(r, after, "("))
                return i;
            fail(r, r->tokens[i].line, "The launch has no argument list after >>>.");
            return NONE;
        }
    }
    fail(r, line, "The launch that begins here is not closed by >>> and an argument list.");
    return NONE;
}

/* Literal zeros lose their meaning as null pointers on the way through a deduced parameter; see launch.h. */
static bool mark_zero_arguments(struct rewriter *r, size_t opening, size_t closing) {
    size_t first = next_token(r, opening), last = NONE;
    size_t angles = 0; /* < seen and not closed: the comma may belong to a template */
    for (size_t i = first; i != NONE; i = next_token(r, i)) {
        if (i == closing || token_is(r, i, ",")) {
            bool alone = last != NONE && first == last && angles == 0;
            if (alone && (token_is(r, first, "0") || token_is(r, first, "NULL")) &&
                !add_edit(r, r->tokens[first].start, r->tokens[first].length, "::cpu_device::Zero()"))
                return false;
            if (i == closing)
                break;
            first = next_token(r, i);
            last = NONE;
            continue;
        }
        if (token_is(r, i, "<"))
            angles++;
        size_t closed = run_of(r, i, '>');
        angles -= closed < angles ? closed : angles;
        if (is_opening(r, i))
            i = matching_closing(r, i);
        last = i;
    }
    return true;
}

static bool rewrite_launch(struct rewriter *r, size_t at) {
    unsigned line = r->tokens[at].line;
    size_t last = previous_token(r, at);
    size_t start = last == NONE ? NONE : expression_start(r, last);
    if (start == NONE)
        return fail(r, line, "There is no kernel that this converter understands before <<<.");
    size_t close = launch_closing(r, at);
    if (close == NONE)
        return false;
    if (next_token(r, at) == close)
        return fail(r, line, "The launch needs a grid and a block between <<< and >>>.");
    size_t opening = next_token(r, close);
    size_t closing = matching_closing(r, opening);
    if (closing == NONE)
        return fail(r, r->tokens[opening].line, "The argument list of the launch is never closed.");
    const struct token *chevrons = &r->tokens[at], *end = &r->tokens[close];
    return add_edit(r, r->tokens[start].start, 0, "CPU_DEVICE_LAUNCH(") &&
           add_edit(r, chevrons->start, chevrons->length, ").configure(") &&
           add_edit(r, end->start + end->length - 3, 3, ")") && mark_zero_arguments(r, opening, closing);
}

/* ---- Dynamic shared memory ---- */

/* `at` is __shared__ in a declaration with extern. */
static bool check_dynamic_shared_name(struct rewriter *r, size_t at) {
    for (size_t i = next_token(r, at); i != NONE && !token_is(r, i, ";"); i = next_token(r, i)) {
        if (token_is(r, i, "[")) {
            size_t name = previous_token(r, i);
            if (token_is(r, name, DYNAMIC_SHARED_NAME))
                return true;
            return fail(r, r->tokens[name].line, "Dynamic shared memory must be named %s, not %.*s.",
                        DYNAMIC_SHARED_NAME, (int)r->tokens[name].length, r->source + r->tokens[name].start);
        }
        if (is_opening(r, i)) {
            i = matching_closing(r, i);
            if (i == NONE)
                break;
        }
    }
    return true;
}

/* ---- All together ---- */

static bool collect_edits(struct rewriter *r) {
    for (size_t i = 0; i < r->token_count; i++) {
        size_t chevrons = run_of(r, i, '<');
        bool ok = true;
        if (chevrons > 3)
            ok = fail(r, r->tokens[i].line, "Four or more < in a row are no launch.");
        else if (chevrons == 3)
            ok = rewrite_launch(r, i);
        else if (token_is(r, i, "__shared__") &&
                 (token_is(r, previous_token(r, i), "extern") || token_is(r, next_token(r, i), "extern")))
            ok = check_dynamic_shared_name(r, i);
        if (!ok)
            return false;
    }
    return true;
}

static int compare_edits(const void *a, const void *b) {
    size_t left = ((const struct edit *)a)->start, right = ((const struct edit *)b)->start;
    return left < right ? -1 : left > right;
}

static char *append(char *end, const char *text, size_t length) {
    memcpy(end, text, length);
    return end + length;
}

static char *apply_edits(struct rewriter *r, const char *path, size_t *result_length) {
    static const char line_start[] = "#line 1 \"", line_end[] = "\"\n";
    if (r->edit_count > 0)
        qsort(r->edits, r->edit_count, sizeof *r->edits, compare_edits);
    size_t room = sizeof line_start + sizeof line_end + 2 * strlen(path) + r->length + 1;
    for (size_t i = 0; i < r->edit_count; i++)
        room += strlen(r->edits[i].text);
    char *result = malloc(room), *end = result;
    if (!result) {
        fail(r, 1, "There is not enough memory to convert this file.");
        return NULL;
    }
    end = append(end, line_start, sizeof line_start - 1);
    for (const char *c = path; *c; c++) {
        if (*c == '"' || *c == '\\')
            *end++ = '\\';
        *end++ = *c;
    }
    end = append(end, line_end, sizeof line_end - 1);
    size_t copied = 0;
    for (size_t i = 0; i < r->edit_count; i++) {
        const struct edit *edit = &r->edits[i];
        end = append(end, r->source + copied, edit->start - copied);
        end = append(end, edit->text, strlen(edit->text));
        copied = edit->start + edit->length;
    }
    end = append(end, r->source + copied, r->length - copied);
    *end = '\0';
    *result_length = (size_t)(end - result);
    return result;
}

char *rewrite_launches(const char *source, size_t length, const char *path, size_t *result_length,
                       struct rewrite_error *error) {
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    if (length >= 3 && memcmp(source, byte_order_mark, 3) == 0) {
        /* Compilers accept it at the very start only, and #line goes there. */
        source += 3;
        length -= 3;
    }
    struct rewriter r = {.source = source, .length = length, .line = 1, .error = error};
    char *result = NULL;
    if (read_all_tokens(&r) && collect_edits(&r))
        result = apply_edits(&r, path, result_length);
    free(r.tokens);
    free(r.edits);
    return result;
}

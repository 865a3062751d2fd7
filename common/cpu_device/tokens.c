#include "tokens.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool token_fail(struct token_list *r, unsigned line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error->message, sizeof r->error->message, format, arguments);
    va_end(arguments);
    r->error->line = line;
    return false;
}

/* Makes room for one more element of an array. */
bool token_grow(struct token_list *r, void **array, size_t *room, size_t count, size_t element_size) {
    if (count < *room)
        return true;
    size_t new_room = *room ? 2 * *room : 256;
    void *new_array = realloc(*array, new_room * element_size);
    if (!new_array)
        return token_fail(r, r->line, "There is not enough memory to read this file.");
    *array = new_array;
    *room = new_room;
    return true;
}
/* ---- Tokens ---- */

static int peek(const struct token_list *r, size_t ahead) {
    size_t at = r->position + ahead;
    return at < r->length ? (unsigned char)r->source[at] : -1;
}

static void advance(struct token_list *r, size_t count) {
    for (; count > 0 && r->position < r->length; count--)
        if (r->source[r->position++] == '\n')
            r->line++;
}

static bool is_identifier_start(int c) { return c == '_' || c == '$' || c >= 0x80 || (c >= 0 && isalpha(c)); }
static bool is_identifier_part(int c) { return is_identifier_start(c) || (c >= 0 && isdigit(c)); }

/* Length of a backslash-newline at the current position, 0 if there is none. */
static size_t splice_length(const struct token_list *r) {
    if (peek(r, 0) != '\\')
        return 0;
    if (peek(r, 1) == '\n')
        return 2;
    return peek(r, 1) == '\r' && peek(r, 2) == '\n' ? 3 : 0;
}

static bool skip_block_comment(struct token_list *r) {
    unsigned line = r->line;
    advance(r, 2);
    while (peek(r, 0) >= 0) {
        if (peek(r, 0) == '*' && peek(r, 1) == '/') {
            advance(r, 2);
            return true;
        }
        advance(r, 1);
    }
    return token_fail(r, line, "This comment is never closed.");
}

static void skip_to_line_end(struct token_list *r) {
    while (peek(r, 0) >= 0 && peek(r, 0) != '\n') {
        size_t splice = splice_length(r);
        advance(r, splice ? splice : 1);
    }
}

static bool add_token(struct token_list *r, enum token_kind kind, size_t start, unsigned line) {
    if (!token_grow(r, (void **)&r->tokens, &r->token_room, r->token_count, sizeof *r->tokens))
        return false;
    r->tokens[r->token_count++] = (struct token){kind, start, r->position - start, line, r->region, r->excluded};
    return true;
}

/* A quote without a partner on its line is no literal: text in a dead #if branch may hold an apostrophe. The compiler
   judges the rest. */
static void skip_quoted(struct token_list *r) {
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
static bool skip_raw_string(struct token_list *r) {
    enum { LONGEST_DELIMITER = 16 };
    unsigned line = r->line;
    size_t delimiter = r->position + 1, length = 0;
    while (length <= LONGEST_DELIMITER && delimiter + length < r->length && r->source[delimiter + length] != '(')
        length++;
    if (length > LONGEST_DELIMITER || delimiter + length >= r->length)
        return token_fail(r, line, "This raw string has no opening parenthesis.");
    advance(r, length + 2);
    for (; r->position < r->length; advance(r, 1)) {
        size_t end = r->position + 1 + length;
        if (peek(r, 0) == ')' && end < r->length && r->source[end] == '"' &&
            memcmp(r->source + r->position + 1, r->source + delimiter, length) == 0) {
            advance(r, length + 2);
            return true;
        }
    }
    return token_fail(r, line, "This raw string is never closed.");
}

bool text_is(const char *text, size_t length, const char *expected) {
    return strlen(expected) == length && memcmp(text, expected, length) == 0;
}

bool is_one_of(const char *text, size_t length, const char *const *words) {
    for (; *words; words++)
        if (text_is(text, length, *words))
            return true;
    return false;
}

static bool read_word(struct token_list *r) {
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
static bool read_number(struct token_list *r) {
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
static size_t punctuator_length(const struct token_list *r) {
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

static bool skip_space_and_comments(struct token_list *r, bool stop_at_line_end) {
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

static bool read_token(struct token_list *r) {
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

/* ---- Directives ---- */

enum truth { UNKNOWN, CERTAINLY, NEVER };

/* What an #if, #ifdef or #elif comes to, as far as that is certain without a preprocessor: literal 0 and 1, and the two
   macros that tell a GPU from the CPU device. */
static enum truth judge_condition(const char *directive, size_t directive_length, const char *text, size_t length) {
    char condition[128];
    size_t used = 0;
    for (size_t i = 0; i < length && used < sizeof condition - 1; i++) {
        if (text[i] == '/' && i + 1 < length && (text[i + 1] == '/' || text[i + 1] == '*'))
            break;
        if (!isspace((unsigned char)text[i]) && text[i] != '(' && text[i] != ')')
            condition[used++] = text[i];
    }
    condition[used] = '\0';
    const char *name = strncmp(condition, "defined", 7) == 0 ? condition + 7 : condition;
    bool negated = text_is(directive, directive_length, "ifndef") || *name == '!';
    if (*name == '!')
        name += strncmp(name + 1, "defined", 7) == 0 ? 8 : 1;
    if (strchr(name, '|') || strchr(name, '&'))
        return UNKNOWN;
    if (strcmp(name, "0") == 0 || strncmp(name, "__CUDA_ARCH__", 13) == 0)
        return negated ? CERTAINLY : NEVER;
    if (strcmp(name, "1") == 0 || strcmp(name, "GEMM_CPU_DEVICE") == 0)
        return negated ? NEVER : CERTAINLY;
    return UNKNOWN;
}

static void open_condition(struct token_list *r, enum truth truth) {
    if (r->depth < MAX_CONDITIONS)
        r->conditions[r->depth] = (struct condition){r->excluded, truth == CERTAINLY};
    r->depth++;
    r->excluded = r->excluded || truth == NEVER;
}

/* At an #else (truth UNKNOWN) or #elif. */
static void next_branch(struct token_list *r, enum truth truth) {
    if (r->depth == 0 || r->depth > MAX_CONDITIONS)
        return;
    struct condition *condition = &r->conditions[r->depth - 1];
    r->excluded = condition->outer_excluded || condition->taken || truth == NEVER;
    condition->taken = condition->taken || truth == CERTAINLY;
}

static void close_condition(struct token_list *r) {
    if (r->depth == 0)
        return;
    r->depth--;
    if (r->depth < MAX_CONDITIONS)
        r->excluded = r->conditions[r->depth].outer_excluded;
}

static void follow_condition(struct token_list *r, const char *directive, size_t length) {
    const char *text = r->source + r->position, *end = memchr(text, '\n', r->length - r->position);
    size_t text_length = end ? (size_t)(end - text) : r->length - r->position;
    enum truth truth = judge_condition(directive, length, text, text_length);
    if (length >= 2 && memcmp(directive, "if", 2) == 0)
        open_condition(r, truth);
    else if (text_is(directive, length, "else"))
        next_branch(r, UNKNOWN);
    else if (text_is(directive, length, "elif"))
        next_branch(r, truth);
    else if (text_is(directive, length, "endif"))
        close_condition(r);
}

/* After the word include. A macro in place of the name is left to the compiler. */
static bool note_include(struct token_list *r) {
    char closing = peek(r, 0) == '"' ? '"' : '>';
    if (r->excluded || (peek(r, 0) != '"' && peek(r, 0) != '<'))
        return true;
    size_t start = r->position + 1, end = start;
    while (end < r->length && r->source[end] != closing && r->source[end] != '\n')
        end++;
    if (!token_grow(r, (void **)&r->includes, &r->include_room, r->include_count, sizeof *r->includes))
        return false;
    r->includes[r->include_count++] = (struct include){start, end - start, r->line, closing == '"'};
    return true;
}

/* The name and the parameters of a macro are no part of its body. */
static bool skip_macro_head(struct token_list *r) {
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
static bool read_directive(struct token_list *r) {
    advance(r, 1);
    if (!skip_space_and_comments(r, true))
        return false;
    size_t start = r->position;
    while (is_identifier_part(peek(r, 0)))
        advance(r, 1);
    const char *name = r->source + start;
    size_t length = r->position - start;
    bool is_define = text_is(name, length, "define");
    follow_condition(r, name, length);
    if (!skip_space_and_comments(r, true) || (text_is(name, length, "include") && !note_include(r)))
        return false;
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

bool read_all_tokens(struct token_list *r) {
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

void free_tokens(struct token_list *r) {
    free(r->tokens);
    free(r->includes);
}

/* ---- Finding one's way among tokens ---- */

size_t next_token(const struct token_list *r, size_t at) {
    unsigned region = r->tokens[at].region;
    for (size_t i = at + 1; i < r->token_count; i++) {
        if (r->tokens[i].region == region)
            return i;
        if (region != 0)
            return NONE;
    }
    return NONE;
}

size_t previous_token(const struct token_list *r, size_t at) {
    unsigned region = r->tokens[at].region;
    for (size_t i = at; i-- > 0;) {
        if (r->tokens[i].region == region)
            return i;
        if (region != 0)
            return NONE;
    }
    return NONE;
}

bool token_is(const struct token_list *r, size_t at, const char *text) {
    return at != NONE && text_is(r->source + r->tokens[at].start, r->tokens[at].length, text);
}

static char first_character(const struct token_list *r, size_t at) { return r->source[r->tokens[at].start]; }

/* Length of a token that consists of `c` alone, however often; otherwise 0. */
size_t run_of(const struct token_list *r, size_t at, char c) {
    if (at == NONE || r->tokens[at].kind != PUNCTUATOR)
        return 0;
    const struct token *t = &r->tokens[at];
    return r->source[t->start + t->length - 1] == c && first_character(r, at) == c ? t->length : 0;
}

bool is_opening(const struct token_list *r, size_t at) {
    return token_is(r, at, "(") || token_is(r, at, "[") || token_is(r, at, "{");
}

bool is_closing(const struct token_list *r, size_t at) {
    return token_is(r, at, ")") || token_is(r, at, "]") || token_is(r, at, "}");
}

size_t matching_closing(const struct token_list *r, size_t at) {
    size_t depth = 0;
    for (; at != NONE; at = next_token(r, at)) {
        if (is_opening(r, at))
            depth++;
        else if (is_closing(r, at) && --depth == 0)
            return at;
    }
    return NONE;
}

size_t matching_opening(const struct token_list *r, size_t at) {
    size_t depth = 0;
    for (; at != NONE; at = previous_token(r, at)) {
        if (is_closing(r, at))
            depth++;
        else if (is_opening(r, at) && --depth == 0)
            return at;
    }
    return NONE;
}

size_t enclosing_brace(const struct token_list *r, size_t at) {
    size_t depth = 0;
    for (at = previous_token(r, at); at != NONE; at = previous_token(r, at)) {
        if (token_is(r, at, "}"))
            depth++;
        else if (token_is(r, at, "{") && depth-- == 0)
            return at;
    }
    return NONE;
}

bool opens_namespace(const struct token_list *r, size_t brace) {
    size_t at = previous_token(r, brace);
    if (at != NONE && r->tokens[at].kind == LITERAL)
        return token_is(r, previous_token(r, at), "extern");
    while (at != NONE && (token_is(r, at, "::") || (r->tokens[at].kind == IDENTIFIER && !token_is(r, at, "namespace"))))
        at = previous_token(r, at);
    return token_is(r, at, "namespace");
}

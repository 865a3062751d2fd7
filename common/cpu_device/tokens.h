/* CUDA C as a list of tokens, and how to find one's way in it. Comments, strings and directives are behind the reader;
   macro bodies are tokens too. */
#ifndef CPU_DEVICE_TOKENS_H
#define CPU_DEVICE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NONE SIZE_MAX

struct rewrite_error {
    unsigned line;     /* of the source, from 1 */
    char message[512]; /* one sentence */
};

enum token_kind { IDENTIFIER, NUMBER, LITERAL, PUNCTUATOR };

struct token {
    enum token_kind kind;
    size_t start, length;
    unsigned line;
    /* 0 for code; each macro body has a number of its own, so that no launch reaches into or out of one. */
    unsigned region;
    bool excluded; /* in a branch of #if that is certain not to be compiled for the CPU device */
};

/* An #include: `name` is what stands between the quotes or the angle brackets. */
struct include {
    size_t start, length;
    unsigned line;
    bool quoted;
};

/* One #if that has not met its #endif. */
struct condition {
    bool outer_excluded;
    bool taken; /* a branch of it is certain to be compiled */
};

enum { MAX_CONDITIONS = 64 };

/* Zero but for source, length, line (1) and error. */
struct token_list {
    const char *source;
    size_t length, position;
    unsigned line;
    unsigned region, regions;
    struct token *tokens;
    size_t token_count, token_room;
    struct include *includes;
    size_t include_count, include_room;
    struct condition conditions[MAX_CONDITIONS];
    size_t depth; /* of #if; those beyond MAX_CONDITIONS count as compiled */
    bool excluded;
    struct rewrite_error *error;
};

/* Every token of the source. False, with *error filled in, when it cannot be read. */
bool read_all_tokens(struct token_list *r);
void free_tokens(struct token_list *r);

/* Fills in *error and returns false. */
bool token_fail(struct token_list *r, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Makes room for one more element of an array. */
bool token_grow(struct token_list *r, void **array, size_t *room, size_t count, size_t element_size);

/* Positions are indices of tokens; NONE is no token, which equals nothing. Steps stay in the token's region. */

bool text_is(const char *text, size_t length, const char *expected);
/* `words` ends with NULL. */
bool is_one_of(const char *text, size_t length, const char *const *words);

size_t next_token(const struct token_list *r, size_t at);
size_t previous_token(const struct token_list *r, size_t at);
bool token_is(const struct token_list *r, size_t at, const char *text);
/* Length of a token that consists of `c` alone, however often; otherwise 0. */
size_t run_of(const struct token_list *r, size_t at, char c);
bool is_opening(const struct token_list *r, size_t at);
bool is_closing(const struct token_list *r, size_t at);
/* The partner of the bracket at `at`, or NONE. */
size_t matching_closing(const struct token_list *r, size_t at);
size_t matching_opening(const struct token_list *r, size_t at);
/* The brace that `at` stands in, or NONE at file scope. */
size_t enclosing_brace(const struct token_list *r, size_t at);
/* Whether a brace opens a namespace or an extern "C", and not a body. */
bool opens_namespace(const struct token_list *r, size_t brace);

#endif

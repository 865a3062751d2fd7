#include "strip.h"
#include "files.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The output, held back line by line, so that a line emptied by its comments can be dropped. */
typedef struct stripper {
    text_stream out, line;
    bool had_comment;
} stripper;

static bool blank(const char *text, size_t size) {
    for (size_t i = 0; i < size; ++i)
        if (!isspace((unsigned char)text[i]))
            return false;
    return true;
}

static void end_line(stripper *s, bool newline) {
    text_close(&s->line);
    size_t size = s->line.size;
    const bool empty = blank(s->line.text, size);
    if (!(empty && s->had_comment)) {
        while (s->had_comment && size > 0 && isspace((unsigned char)s->line.text[size - 1]))
            --size; /* the space before a trailing comment */
        fwrite(s->line.text, 1, size, s->out.out);
        if (newline)
            putc('\n', s->out.out);
    }
    free(s->line.text);
    text_open(&s->line);
    s->had_comment = false;
}

static void put(stripper *s, char c) {
    if (c == '\n')
        end_line(s, true);
    else
        putc(c, s->line.out);
}

static const char *copy(stripper *s, const char *p, const char *end) {
    while (p < end)
        put(s, *p++);
    return end;
}

/* A line comment runs on over a backslash before the line's end. Returns the line break or the end of the text. */
static const char *after_line_comment(const char *p) {
    while (*p && *p != '\n')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    return p;
}

static const char *after_block_comment(const char *p) {
    const char *end = strstr(p + 2, "*/");
    return end ? end + 2 : p + strlen(p);
}

/* The closing quote, or the line's end for a literal that a broken file left open. */
static const char *after_literal(const char *p) {
    const char quote = *p++;
    while (*p && *p != quote && *p != '\n')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p == quote ? p + 1 : p;
}

/* R"tag( ... )tag": `p` is at the R. */
static const char *after_raw_string(const char *p) {
    const char *tag = p + 2;
    const size_t length = strcspn(tag, "(");
    char *close = text_format(")%.*s\"", (int)length, tag);
    const char *end = strstr(tag + length, close);
    const char *result = end ? end + strlen(close) : p + strlen(p);
    free(close);
    return result;
}

static bool word_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Words and numbers go whole, so that neither the R of a raw string nor the ' of 1'000 is looked at inside one. */
static const char *after_word(const char *p) {
    const bool number = isdigit((unsigned char)*p);
    while (word_char(*p) || (number && *p == '\'' && word_char(p[1])))
        ++p;
    return p;
}

static bool raw_prefix(const char *p, const char *end) {
    return end > p && end[-1] == 'R' && *end == '"' && end - p <= 3; /* R, LR, uR, UR, u8R */
}

static const char *strip_one(stripper *s, const char *p) {
    if (p[0] == '/' && p[1] == '/') {
        s->had_comment = true;
        return after_line_comment(p);
    }
    if (p[0] == '/' && p[1] == '*') {
        const char *end = after_block_comment(p);
        for (const char *c = p; c < end; ++c)
            if (*c == '\n') {
                s->had_comment = true;
                put(s, '\n');
            }
        s->had_comment = true;
        put(s, ' ');
        return end;
    }
    if (*p == '"' || *p == '\'')
        return copy(s, p, after_literal(p));
    if (word_char(*p)) {
        const char *end = after_word(p);
        return raw_prefix(p, end) ? copy(s, p, after_raw_string(end - 1)) : copy(s, p, end);
    }
    put(s, *p);
    return p + 1;
}

char *strip_comments(const char *source) {
    stripper s = {.had_comment = false};
    text_open(&s.out);
    text_open(&s.line);
    while (*source)
        source = strip_one(&s, source);
    end_line(&s, false);
    text_close(&s.line);
    free(s.line.text);
    text_close(&s.out);
    return s.out.text;
}

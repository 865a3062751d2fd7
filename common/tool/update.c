#include "update.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char BEGIN[] = "<!-- table:begin", END[] = "<!-- table:end -->", CLOSE[] = "-->";

typedef enum { TABLE_ARTICLE, TABLE_STAGE, TABLE_ALL, TABLE_NONE } table_kind;

/* A parsed marker. The selection borrows from `words`, the marker's own copy of its text. */
typedef struct marker {
    table_kind kind;
    const char *gpu; /* slug, or directory/slug of a record that lies deeper in plots/data */
    selection what;
    report_language language;
    char *words;
} marker;

static int sort_word(marker *m, const char *word, fault *f) {
    fault ignored;
    if (strcmp(word, "article") == 0)
        m->kind = TABLE_ARTICLE;
    else if (strcmp(word, "stage") == 0)
        m->kind = TABLE_STAGE;
    else if (strcmp(word, "all") == 0)
        m->kind = TABLE_ALL;
    else if (strcmp(word, "lang=zh") == 0 || strcmp(word, "lang=en") == 0)
        m->language = word[5] == 'z' ? LANG_ZH : LANG_EN;
    else if (parse_dtype(word, &ignored) == 0)
        m->what.dtype = word;
    else if (parse_protocol(word, &ignored) == 0)
        m->what.protocol = word;
    else if (parse_size(word, &m->what.size, &ignored) == 0)
        return 0;
    else if (isdigit((unsigned char)word[0]) && isdigit((unsigned char)word[1]) && word[2] == '_')
        m->what.stage = word;
    else if (!m->gpu)
        m->gpu = word;
    else
        return fault_set(f, "table:begin: \"%.40s\" is not a type, size, protocol, stage or lang=zh", word);
    return 0;
}

static int parse_marker(marker *m, const char *text, size_t length, fault *f) {
    *m = (marker){.kind = TABLE_NONE, .words = text_format("%.*s", (int)length, text)};
    char *rest = NULL;
    for (char *word = strtok_r(m->words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        if (sort_word(m, word, f) != 0)
            return -1;
    if (m->kind == TABLE_NONE || !m->gpu || (m->kind == TABLE_STAGE && !m->what.stage))
        return fault_set(f, "table:begin needs `article GPU`, `all GPU` or `stage NN_name GPU`, as in "
                            "<!-- table:begin article nvidia-h200 f16 4096 burst -->");
    return 0;
}

/* A document may only name the GPU whose record it shows. */
static void keep_gpu(record_list *list, const char *gpu) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i) {
        char *name = slug(list->rows[i].gpu);
        if (strcmp(name, gpu) == 0)
            list->rows[kept++] = list->rows[i];
        free(name);
    }
    list->count = kept;
}

static bool any_row(const record_list *list, const selection *s) {
    for (size_t i = 0; i < list->count; ++i)
        if (selected(s, &list->rows[i]))
            return true;
    return false;
}

/* A document's lines end alike: "\r\n" where its own do. */
static void put_lines(const char *text, bool crlf, FILE *out) {
    for (; *text; ++text)
        fprintf(out, *text == '\n' && crlf ? "\r%c" : "%c", *text);
}

static void put_table(const marker *m, const record_list *list, FILE *out) {
    const report_style style = {GRID_MARKDOWN, m->language};
    selection what = m->what;
    if (m->kind == TABLE_ARTICLE) {
        selection_settle(&what, list);
        report_article(list, &what, style, out);
    } else {
        report_rows(list, &what, style, out);
    }
}

static int render_marker(const tool_context *context, const char *record, const marker *m, FILE *out, fault *f) {
    char *path = record ? text_format("%s", record) : text_format("%s/plots/data/%s.csv", context->source, m->gpu);
    record_list list = {0};
    int result = load_record(path, &list, f);
    if (result == 0) {
        const char *slash = strrchr(m->gpu, '/');
        keep_gpu(&list, slash ? slash + 1 : m->gpu);
        selection what = m->what;
        if (m->kind == TABLE_ARTICLE)
            selection_settle(&what, &list);
        if (list.count == 0)
            result = fault_set(f, "%s has no row of the GPU %.60s that table:begin names", path, m->gpu);
        else if (!any_row(&list, &what))
            result = fault_set(f, "%s has no row of what this table:begin selects; an empty table says nothing", path);
        else
            put_table(m, &list, out);
    }
    record_list_free(&list);
    free(path);
    return result;
}

/* Copies the document to `out` with its tables made anew. */
static int render_document(const tool_context *context, const char *record, const char *path, const char *text,
                           FILE *out, fault *f) {
    const bool crlf = strstr(text, "\r\n") != NULL;
    int tables = 0;
    for (const char *begin = strstr(text, BEGIN); begin; begin = strstr(text, BEGIN), ++tables) {
        const char *words = begin + strlen(BEGIN);
        const char *words_end = strstr(words, CLOSE);
        const char *end = words_end ? strstr(words_end, END) : NULL;
        const char *next = strstr(words, BEGIN);
        if (!end || (next && next < end))
            return fault_set(f, "%s: a <!-- table:begin has no %s after it; nothing was written", path, END);
        marker m;
        fault why = {{0}};
        text_stream table;
        text_open(&table);
        fputs("\n\n", table.out);
        int result = parse_marker(&m, words, (size_t)(words_end - words), &why);
        if (result == 0)
            result = render_marker(context, record, &m, table.out, &why);
        putc('\n', table.out);
        text_close(&table);
        free(m.words);
        fwrite(text, 1, (size_t)(words_end - text) + strlen(CLOSE), out);
        put_lines(table.text, crlf, out);
        free(table.text);
        if (result != 0)
            return fault_set(f, "%.200s: %.500s", path, why.text);
        text = end;
    }
    fputs(text, out);
    if (tables == 0)
        return fault_set(f,
                         "%s: no <!-- table:begin article nvidia-h200 f16 4096 burst --> and %s in it; put both "
                         "where the table belongs",
                         path, END);
    return 0;
}

/* One document: its new text and whether that differs. */
typedef struct made_text {
    text_stream stream;
    bool differs;
} made_text;

static int make_text(const tool_context *context, const char *record, const char *path, made_text *made, fault *f) {
    char *text = read_file(path, f);
    if (!text)
        return -1;
    text_open(&made->stream);
    int result = render_document(context, record, path, text, made->stream.out, f);
    text_close(&made->stream);
    made->differs = strcmp(text, made->stream.text) != 0;
    free(text);
    if (result == 0 && made->differs && record_can_replace_file(path) != 0)
        result = fault_set(f, "cannot write %s: %s; nothing was written", path, strerror(errno));
    return result;
}

int update_documents(const tool_context *context, const char *record, char *const paths[], size_t count, fault *f) {
    made_text *made = calloc(count, sizeof *made);
    int result = made ? 0 : fault_set(f, "out of memory");
    for (size_t i = 0; i < count && result == 0; ++i)
        result = make_text(context, record, paths[i], &made[i], f);
    for (size_t i = 0; i < count && result == 0; ++i) {
        if (made[i].differs)
            result = write_file(paths[i], made[i].stream.text, made[i].stream.size, f);
        if (result == 0)
            printf("%s: %s\n", paths[i], made[i].differs ? "updated" : "up to date");
    }
    for (size_t i = 0; made && i < count; ++i)
        free(made[i].stream.text);
    free(made);
    return result;
}

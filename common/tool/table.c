/* ladder table: the article's table beside ours, then every row; or the tables inside documents. */
#include "update.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct table_options {
    tool_context *context;
    record_choice choice;
    bool markdown, update;
    char **documents; /* point into argv */
    size_t document_count;
} table_options;

static bool ends_with(const char *text, const char *end) {
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static error_t take_argument(table_options *o, char *argument) {
    if (ends_with(argument, ".csv"))
        return choose_record(&o->choice, argument);
    o->documents[o->document_count++] = argument;
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
    table_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->choice;
        state->child_inputs[1] = o->context;
        return 0;
    case 'm':
        o->markdown = true;
        return 0;
    case 'u':
        o->update = true;
        return take_argument(o, argument);
    case ARGP_KEY_ARG:
        return take_argument(o, argument);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"markdown", 'm', 0, 0, "Print Markdown", 1},
    {"update", 'u', "DOCUMENT", 0,
     "Replace the tables between <!-- table:begin ... --> and <!-- table:end --> in this document and in any that "
     "follow",
     1},
    {0},
};

static const struct argp_child children[] = {{&choice_argp, 0, NULL, 0}, {&context_argp, 0, NULL, 0}, {0}};

static const struct argp table_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "[FILE.csv]\n--update DOCUMENT [DOCUMENT...] [FILE.csv]",
    .doc = "Prints the article's table beside the recorded one, then every recorded row.\v"
           "Without FILE.csv the newest record is shown. A stage that is not recorded shows a dash, an unknown number "
           "n/a, a failed row FAIL and no speed. Utilization stands in two columns: of the dense peak of the fastest "
           "unit for the input type (how far up the ladder), and of the unit that the kernel uses.",
    .children = children,
};

/* A record without a single speed, as the CPU device makes it: its news are the errors. */
static bool has_speeds(const record_list *list) {
    for (size_t i = 0; i < list->count; ++i)
        if (isfinite(list->rows[i].tflops))
            return true;
    return false;
}

static int print_tables(const table_options *o, fault *f) {
    char *path = o->choice.record ? text_format("%s", o->choice.record) : default_record(o->context);
    record_list list = {0};
    if (path && load_record(path, &list, f) != 0) {
        free(path);
        return -1;
    }
    const report_style style = {o->markdown ? GRID_MARKDOWN : GRID_TEXT, LANG_EN};
    selection article = o->choice.what;
    selection_settle(&article, &list);
    if (path && !o->markdown)
        printf("record: %s\n", path);
    if (list.count > 0 && !has_speeds(&list))
        report_checks(&list, style, stdout);
    else
        report_article(&list, &article, style, stdout);
    if (!path)
        printf("No record yet: ./ladder run makes one.\n");
    else if (has_speeds(&list)) {
        putchar('\n');
        report_rows(&list, &o->choice.what, style, stdout);
    } else if (list.count == 0)
        printf("%s holds no rows.\n", path);
    record_list_free(&list);
    free(path);
    return 0;
}

/* The command line names files that exist, or it is wrong. */
static int check_files(const table_options *o, fault *f) {
    if (o->choice.record && !file_exists(o->choice.record))
        return fault_set(f, "cannot read %.200s: %s", o->choice.record, strerror(errno));
    if (!o->update && o->document_count > 0)
        return fault_set(f, "%.200s: a record's name ends in .csv; to write tables into a document use --update %.200s",
                         o->documents[0], o->documents[0]);
    for (size_t i = 0; i < o->document_count; ++i)
        if (!file_exists(o->documents[i]))
            return fault_set(f, "cannot read %.200s: %s", o->documents[i], strerror(errno));
    return 0;
}

int command_table(tool_context *context, int argc, char **argv, fault *f) {
    table_options o = {.context = context, .choice.f = f, .documents = calloc((size_t)argc + 1, sizeof(char *))};
    int result = o.documents ? 0 : fault_set(f, "out of memory");
    if (result == 0 && argp_parse(&table_argp, argc, argv, 0, NULL, &o) != 0) {
        free(o.documents);
        return EXIT_USAGE;
    }
    if (result == 0 && check_files(&o, f) != 0) {
        free(o.documents);
        return EXIT_USAGE;
    }
    if (result == 0 && o.update)
        result = update_documents(context, o.choice.record, o.documents, o.document_count, f);
    else if (result == 0)
        result = print_tables(&o, f);
    free(o.documents);
    return result == 0 ? 0 : EXIT_WORK;
}

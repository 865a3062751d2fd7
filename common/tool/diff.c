/* ladder diff: the step from one stage's kernel to the next, without comments and in one format. */
#include "diff.h"
#include "files.h"
#include "strip.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Counting -----------------------------------------------------------------------------------------------------
 */

static bool blank_line(const char *line, size_t length) {
    for (size_t i = 0; i < length; ++i)
        if (!isspace((unsigned char)line[i]))
            return false;
    return true;
}

diff_count count_changes(const char *unified) {
    diff_count total = {0};
    size_t removed = 0, added = 0; /* of the current run of changed lines */
    bool in_hunk = false;
    for (const char *line = unified; *line;) {
        const size_t length = strcspn(line, "\n");
        const bool counts = in_hunk && (*line == '-' || *line == '+') && !blank_line(line + 1, length - 1);
        removed += counts && *line == '-';
        added += counts && *line == '+';
        if (*line == ' ' || *line == '@') {
            total.changed += removed > added ? removed : added;
            removed = added = 0;
        }
        in_hunk = in_hunk || *line == '@'; /* before the first hunk stand the --- and +++ file names */
        total.removed += counts && *line == '-';
        total.added += counts && *line == '+';
        line += length + (line[length] == '\n');
    }
    total.changed += removed > added ? removed : added;
    return total;
}

/* ---- The files ----------------------------------------------------------------------------------------------------
 */

typedef struct diff_options {
    tool_context *context;
    const char *stages[2];
    size_t count;
    const char *file;
    bool comments;
    fault *f;
} diff_options;

/* "2", "02" or "02_tiling" to "02_tiling"; the caller frees it. NULL with a sentence. */
static char *find_stage(const tool_context *context, const char *name, fault *f) {
    DIR *directory = opendir(context->source);
    char *found = NULL;
    char *end;
    const long number = strtol(name, &end, 10);
    const bool numeric = isdigit((unsigned char)*name) && !*end;
    for (struct dirent *e = directory ? readdir(directory) : NULL; e && !found; e = readdir(directory)) {
        const bool stage =
            isdigit((unsigned char)e->d_name[0]) && isdigit((unsigned char)e->d_name[1]) && e->d_name[2] == '_';
        if (stage && ((numeric && strtol(e->d_name, NULL, 10) == number) || strcmp(e->d_name, name) == 0))
            found = text_format("%s", e->d_name);
    }
    if (directory)
        closedir(directory);
    if (!found)
        fault_set(f, "%.60s: no such stage; give its number or directory, as in ./ladder diff 01 02", name);
    return found;
}

/* In place when there is a clang-format; a diff of unformatted text is still a diff. */
static void format_file(const tool_context *context, const char *path) {
    if (!command_exists("clang-format"))
        return;
    /* Through standard input, so that the repository's .clang-format is found and not one near the temporary file. */
    char *assumed = text_format("-assume-filename=%s/kernel.cu", context->source);
    char *const command[] = {(char *)"sh", (char *)"-c", (char *)"exec clang-format -style=file \"$1\" < \"$2\"",
                             (char *)"sh", assumed,      (char *)path,
                             NULL};
    char *formatted = NULL;
    fault ignored;
    if (exited_with(process_capture(command, NULL, &formatted), 0) && formatted[0])
        write_file(path, formatted, strlen(formatted), &ignored);
    free(formatted);
    free(assumed);
}

/* Puts the stage's kernel, ready to compare, into the temporary directory. Returns its label or NULL; free it. */
static char *prepare(const diff_options *o, const char *stage, const char *path, fault *f) {
    char *label = text_format("%s/%s", stage, o->file);
    char *original = text_format("%s/%s", o->context->source, label);
    char *text = read_file(original, f);
    char *shown = text && !o->comments ? strip_comments(text) : text;
    int result = shown ? write_file(path, shown, strlen(shown), f) : -1;
    if (result == 0)
        format_file(o->context, path);
    if (shown != text)
        free(shown);
    free(text);
    free(original);
    if (result != 0) {
        free(label);
        return NULL;
    }
    return label;
}

static const char *colour_of(char first) {
    return first == '+' ? "\033[32m" : first == '-' ? "\033[31m" : first == '@' ? "\033[36m" : "";
}

static void print_diff(const char *text, bool colours) {
    for (const char *line = text; *line;) {
        const int length = (int)strcspn(line, "\n");
        const char *colour = colours ? colour_of(*line) : "";
        printf("%s%.*s%s\n", colour, length, line, *colour ? "\033[0m" : "");
        line += length + (line[length] == '\n');
    }
}

static int compare(const char *a, const char *b, const char *label_a, const char *label_b, fault *f) {
    char *const argv[] = {(char *)"diff", (char *)"-u", (char *)"-L", (char *)label_a, (char *)"-L", (char *)label_b,
                          (char *)a,      (char *)b,    NULL};
    if (!command_exists("diff"))
        return fault_set(f, "there is no command diff; install it (diffutils)");
    char *text = NULL;
    const int status = process_capture(argv, NULL, &text);
    int result = 0;
    if (!exited_with(status, 0) && !exited_with(status, 1)) {
        result = fault_set(f, stop_signal() ? "interrupted" : "the command diff did not work");
    } else {
        const diff_count count = count_changes(text);
        print_diff(text, isatty(STDOUT_FILENO));
        printf("%zu line%s changed (%zu removed, %zu added)\n", count.changed, count.changed == 1 ? "" : "s",
               count.removed, count.added);
    }
    free(text);
    return result;
}

static int diff_stages(const diff_options *o, char *const stages[2], fault *f) {
    stops_hold(); /* until the temporary files are gone */
    char *directory = make_temporary_directory(f);
    int result = -1;
    if (directory) {
        char *a = text_format("%s/a.cu", directory), *b = text_format("%s/b.cu", directory);
        char *label_a = prepare(o, stages[0], a, f);
        char *label_b = label_a ? prepare(o, stages[1], b, f) : NULL;
        result = label_b ? compare(a, b, label_a, label_b, f) : -1;
        free(label_a);
        free(label_b);
        free(a);
        free(b);
        remove_directory(directory);
        free(directory);
    }
    stops_release();
    return result;
}

/* ---- The subcommand -----------------------------------------------------------------------------------------------
 */

static error_t parse_option(int key, char *argument, struct argp_state *state) {
    diff_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o->context;
        return 0;
    case 'c':
        o->comments = true;
        return 0;
    case 'f':
        o->file = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (o->count == 2)
            return fault_set(o->f, "%.60s: two stages at a time, as in ./ladder diff 01 02", argument), EINVAL;
        o->stages[o->count++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (o->count < 2)
            return fault_set(o->f, "two stages are needed, as in ./ladder diff 01 02"), EINVAL;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"comments", 'c', 0, 0, "Compare the comments too", 1},
    {"file", 'f', "NAME", 0, "The file to compare (default kernel.cu)", 1},
    {0},
};

static const struct argp_child children[] = {{&context_argp, 0, NULL, 0}, {0}};

static const struct argp diff_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "STAGE STAGE",
    .doc = "Shows what changed from one stage's kernel to the next.\v"
           "A stage is its number or its directory: ./ladder diff 01 02_tiling. Comments are left out and both sides "
           "formatted alike (with clang-format where there is one), so that only the code counts. A line that was "
           "replaced is one changed line; blank lines are not counted.",
    .children = children,
};

int command_diff(tool_context *context, int argc, char **argv, fault *f) {
    diff_options o = {.context = context, .file = "kernel.cu", .f = f};
    if (argp_parse(&diff_argp, argc, argv, 0, NULL, &o) != 0)
        return EXIT_USAGE;
    char *stages[2] = {find_stage(context, o.stages[0], f), NULL};
    if (stages[0])
        stages[1] = find_stage(context, o.stages[1], f);
    const int status = !stages[1] ? EXIT_USAGE : diff_stages(&o, stages, f) == 0 ? 0 : EXIT_WORK;
    free(stages[0]);
    free(stages[1]);
    return status;
}

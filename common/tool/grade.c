/* ladder grade: builds a reader's kernel file in the place of a stage's kernel.cu, runs it in a process of its own
 * within limits, and gives points. */
#include "count_build.h"
#include "drivers.h"
#include "grade_folders.h"
#include "grade_link.h"
#include "grade_report.h"
#include "grade_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_POINTS = 3 }; /* fewer than --require asks for */

/* ---- Options ------------------------------------------------------------------------------------------------------
 */

typedef struct grade_options {
    tool_context *context;
    const char *stage, *file, *json;
    double time_limit;       /* seconds */
    double memory, required; /* MiB; points, or -1 */
    bool only_targets;
    fault *f;
} grade_options;

static const struct argp_option options[] = {
    {"json", 'j', "FILE", 0, "Write the points as JSON too; with - instead of the table, to standard output", 1},
    {"require", 'r', "POINTS", 0, "Exit with 3 when the file earns fewer", 1},
    {"time-limit", 't', "SECONDS", 0, "For all runs of the kernel together (default 20)", 2},
    {"memory-limit", 'm', "MIB", 0, "Memory that the program may use (default 2048)", 2},
    {"targets", 0x10A, 0, OPTION_HIDDEN, "Only print what ./ladder then builds", 3},
    {0},
};

/* unit: " of seconds", or "". */
static error_t take_number(grade_options *o, const char *name, const char *text, const char *unit, double low,
                           double high, double *value) {
    char *end;
    *value = strtod(text, &end);
    if (*end || end == text || !(*value >= low) || *value > high)
        return fault_set(o->f, "%s %.40s: it must be a number%s from %.10g to %.10g", name, text, unit, low, high),
               EINVAL;
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
    grade_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o->context;
        return 0;
    case 'j':
        o->json = argument;
        return 0;
    case 'r':
        return take_number(o, "--require", argument, "", 0, 100, &o->required);
    case 't':
        return take_number(o, "--time-limit", argument, " of seconds", 0.1, 86400, &o->time_limit);
    case 'm':
        return take_number(o, "--memory-limit", argument, " of MiB", 64, 1 << 20, &o->memory);
    case 0x10A:
        o->only_targets = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->file)
            return fault_set(o->f, "%.200s: one stage and one file are marked at a time", argument), EINVAL;
        *(o->stage ? &o->file : &o->stage) = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&context_argp, 0, NULL, 0}, {0}};

static const struct argp grade_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "STAGE [FILE.cu]",
    .doc =
        "Marks a kernel file (default: the stage's exercise.cu) on the CPU device: 60 points for right results at all "
        "shapes and for what the checks find, 40 for the stage's goals, which are counts of memory requests, of "
        "barriers and of operations on tensor cores.\v"
        "One kernel of the stage is marked, coalesced, tile64, 8x8, pad4, mma, stages3 or swizzle, or the first of the "
        "stage's kernel.cu that the file has; the others that it has must be right at two products. --beta 1e-30 "
        "stands for products where beta is not the point: C is read, and changes nothing.\n\n"
        "Goals are looked at when the result is right at whole tiles. They judge what is counted, not what is written: "
        "the compiler may keep in registers what the source loads again and again. From stage 02 on, the 60 points "
        "count in the proportion in which the goals are met, because a right result alone is the work of the stage "
        "before.\n\n"
        "A product may take its share of the time that is left, and a tenth of --time-limit in any case. "
        "The file is run as you, within limits but in no sandbox; what it prints is not shown. --json empties an older "
        "file of points before anything else, and makes no directories. Exit status: 0 marked, 1 marking failed, 2 the "
        "command line was wrong, 3 fewer points than --require.\n\n"
        "Examples: ./ladder grade 02; ./ladder grade 03 my/kernel.cu --json points.json",
    .children = children,
};

/* ---- Marking ------------------------------------------------------------------------------------------------------
 */

static grade_line *add_line(grade_sheet *sheet, const char *id, const char *name, int of) {
    grade_line *line = &sheet->lines[sheet->line_count++];
    *line = (grade_line){.id = id, .name = name, .of = of};
    return line;
}

static size_t count_runs(const grade_test *test) {
    size_t count = 0;
    while (test->runs[count].options)
        ++count;
    return count;
}

static char *run_of(grade_session *s, const grade_test *test, size_t i, grade_sheet *sheet) {
    return test->kind == GRADE_CHECKS ? grade_run_checked(s, &test->runs[i], sheet) : grade_run(s, &test->runs[i]);
}

/* Each run that passes earns its share; the first that does not is told. Behind one that did not end, the rest of the
 * test is left out. */
static void mark_test(grade_session *s, const grade_test *test, grade_sheet *sheet) {
    grade_line *line = add_line(sheet, test->id, test->name, test->points);
    const int count = (int)count_runs(test);
    int passed = 0;
    s->too_long = false;
    for (int i = 0; i < count; ++i) {
        if (!s->too_long) {
            char *wrong = run_of(s, test, (size_t)i, sheet);
            passed += !wrong;
            if (line->help)
                free(wrong);
            else
                line->help = wrong;
        }
        --s->runs_left;
    }
    line->points = test->points * passed / count;
    if (passed > 0 && passed < count) {
        char *first = line->help;
        line->help = text_format("%d of %d right; %s", passed, count, first);
        free(first);
    }
}

/* What fails already in the simpler case says nothing of its own. */
static void skip_test(grade_session *s, const grade_test *test, grade_sheet *sheet) {
    add_line(sheet, test->id, test->name, test->points)->help =
        text_format("not right %s either: see values", test->simpler);
    s->runs_left -= count_runs(test);
}

static void add_unmet_goals(const grade_scheme *scheme, const char *why, grade_sheet *sheet) {
    for (size_t i = 0; i < GRADE_GOALS && scheme->goals[i].points > 0; ++i)
        add_line(sheet, scheme->goals[i].id, scheme->goals[i].name, scheme->goals[i].points)->help =
            text_format("%s", why);
}

/* What a kernel that multiplies must have counted: a launch function that computes on the CPU has no counts. Without
 * objdump those of FP32 cores are not known, and there is no such row. */
static bool does_the_work(const count_list *counts, double needed) {
    double flops = NAN, tensor = 0;
    for (size_t i = 0; i < counts->count; ++i)
        if (strcmp(counts->rows[i].counter, "flops") == 0)
            flops = (isnan(flops) ? 0 : flops) + counts->rows[i].value;
        else if (strcmp(counts->rows[i].counter, "tensor_flops") == 0)
            tensor += counts->rows[i].value;
    return counts->count > 0 && !(flops + tensor < needed);
}

static int mark_goals(grade_session *s, grade_sheet *sheet, fault *f) {
    const grade_scheme *scheme = s->scheme;
    count_list own = {0}, reference = {0};
    const grade_product product = {scheme->type->goal_run, false};
    char *wrong = grade_run_counted(s, &product, &own);
    int result = 0;
    if (!wrong && !does_the_work(&own, scheme->type->goal_flops))
        wrong = text_format("%s: the launches do fewer operations than this product takes", product.options);
    if (wrong)
        add_unmet_goals(scheme, wrong, sheet);
    else
        result = grade_count_reference(s, product.options, &reference, f);
    for (size_t i = 0; !wrong && result == 0 && i < GRADE_GOALS && scheme->goals[i].points > 0; ++i) {
        grade_line *line = add_line(sheet, scheme->goals[i].id, scheme->goals[i].name, scheme->goals[i].points);
        line->help = scheme->goals[i].missing(&own, &reference);
        line->points = line->help ? 0 : line->of;
    }
    free(wrong);
    counts_free(&own);
    counts_free(&reference);
    return result;
}

/* earned * met / all, rounded down once for all tests together: what the rows lose by rounding goes to those that lose
 * most. Returns the sum. */
static int take_share(grade_sheet *sheet, size_t tests, int met, int all) {
    int right = 0, paid = 0;
    for (size_t i = 0; i < tests; ++i) {
        grade_line *line = &sheet->lines[i];
        line->points = line->right * met / all;
        right += line->right;
        paid += line->points;
    }
    const int due = right * met / all;
    for (; paid < due; ++paid) {
        grade_line *most = NULL;
        int lost = 0; /* in points / all */
        for (size_t i = 0; i < tests; ++i) {
            const int here = sheet->lines[i].right * met - sheet->lines[i].points * all;
            if (here > lost) {
                lost = here;
                most = &sheet->lines[i];
            }
        }
        ++most->points;
    }
    return due;
}

/* From the second stage on: points for results count as far as the goals are met. */
static void discount(const grade_scheme *scheme, grade_sheet *sheet, size_t tests) {
    int met = 0, all = 0, right = 0;
    for (size_t i = tests; i < sheet->line_count; ++i) {
        met += sheet->lines[i].points;
        all += sheet->lines[i].of;
    }
    if (!scheme->inherits || met == all)
        return;
    const int paid = take_share(sheet, tests, met, all);
    for (size_t i = 0; i < tests; ++i) {
        grade_line *line = &sheet->lines[i];
        right += line->right;
        if (!line->help)
            line->help = text_format("right; it counts as far as the goals are met, %d of %d points", met, all);
    }
    sheet->note = text_format("Results count %d/%d, the share of the goals that is met: %d of %d points. From 02 on a "
                              "right result alone is the work of the stage before",
                              met, all, paid, right);
}

/* "values, or half inputs": the tests that prove a kernel right. */
static char *names_of_proofs(const grade_test *tests) {
    const grade_test *other = &tests[GRADE_TESTS - 1];
    while (!other->proves)
        --other;
    return text_format("%s, or %s,", tests[0].name, other->name);
}

/* Where no product is right, what is right besides earns nothing: a C of zeros has no race either. */
static void take_all(grade_sheet *sheet, size_t tests, const char *proofs) {
    for (size_t i = 0; i < tests; ++i) {
        grade_line *line = &sheet->lines[i];
        if (line->points > 0 && !line->help)
            line->help = text_format("right; it counts when %s are right", proofs);
        line->points = line->right = 0;
    }
}

static int mark(grade_session *s, grade_sheet *sheet, fault *f) {
    const grade_test *const all = s->scheme->type->tests;
    bool proven = false;
    s->runs_left = 1; /* the goals' */
    for (size_t i = 0; i < GRADE_TESTS; ++i)
        s->runs_left += count_runs(&all[i]);
    for (size_t i = 0; i < GRADE_TESTS && !stop_signal(); ++i) {
        const grade_test *test = &all[i];
        (test->simpler && sheet->lines[0].points == 0 ? skip_test : mark_test)(s, test, sheet);
        grade_line *line = &sheet->lines[i];
        line->right = line->points;
        proven = proven || (test->proves && line->points == line->of);
    }
    const size_t tests = sheet->line_count;
    int result = 0;
    char *proofs = names_of_proofs(all);
    if (proven && !stop_signal()) {
        result = mark_goals(s, sheet, f);
    } else {
        char *wrong = text_format("looked at when %s are right: what a wrong kernel counts means nothing", proofs);
        add_unmet_goals(s->scheme, wrong, sheet);
        free(wrong);
    }
    for (size_t i = tests; i < sheet->line_count; ++i)
        sheet->lines[i].right = sheet->lines[i].points;
    if (!proven)
        take_all(sheet, tests, proofs);
    else
        discount(s->scheme, sheet, tests);
    free(proofs);
    sheet->status = s->status;
    return stop_signal() ? fault_set(f, "interrupted; nothing is marked") : result;
}

/* A file that makes no program: nothing is earned, and one sentence says why. */
static void mark_nothing(const grade_scheme *scheme, const char *why, grade_sheet *sheet) {
    const grade_test *const all = scheme->type->tests;
    for (size_t i = 0; i < GRADE_TESTS; ++i)
        add_line(sheet, all[i].id, all[i].name, all[i].points)->help = text_format("%s", why);
    add_unmet_goals(scheme, why, sheet);
    sheet->status = GRADE_DOES_NOT_COMPILE;
}

/* ---- From file to points ------------------------------------------------------------------------------------------
 */

/* Where a line of the compiler's output ends. */
static const char *end_of_line(const char *line) {
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

static bool is_error(const char *line, const char *end) {
    const char *mark = strstr(line, "error: ");
    return mark && mark < end;
}

/* The first error with what leads to it and the lines of source, which begin with a blank, behind it: later errors
 * follow from it, and a template's come once for each type. Output without errors: the first lines. */
static void show_compiler_output(const char *output) {
    enum { SHOWN_LINES = 20 };
    int lines = 0, errors = 0;
    bool shown = true;
    for (const char *line = output ? output : ""; *line; line = end_of_line(line)) {
        const char *end = end_of_line(line);
        const bool error = is_error(line, end);
        if (errors > 0 && *line != ' ')
            shown = false;
        errors += error;
        if (shown && (lines < SHOWN_LINES || error))
            fwrite(line, 1, (size_t)(end - line), stderr);
        ++lines;
    }
    if (errors > 1)
        fprintf(stderr, "... and %d more error%s\n", errors - 1, errors == 2 ? "" : "s");
}

/* Returns 0 with a program, 1 when the file makes none (the sentence is in *f), -1 when we failed. */
static int make_program(const grade_options *o, const grade_scheme *scheme, const char *program, grade_choice *choice,
                        fault *f) {
    char *headers = text_format("%s/common", o->context->source);
    /* The kernels of the stages take some seconds and 160 MiB. */
    build_request request = {.source_file = o->file,
                             .folder = "grade",
                             .headers = headers,
                             .time_limit = 60,
                             .memory_limit = (size_t)2 << 30};
    char *object = build_file(o->context, &request, f);
    bool refused = request.refused;
    if (!object && !stop_signal())
        show_compiler_output(request.output);
    int result = object ? grade_link(o->context, scheme, o->file, object, program, choice, &refused, f) : -1;
    if (object)
        grade_folders_keep_newest(object);
    free(request.output);
    free(object);
    free(headers);
    return result == 0 ? 0 : refused && !stop_signal() ? 1 : -1;
}

static int mark_file(const grade_options *o, const grade_scheme *scheme, const char *scratch, grade_sheet *sheet,
                     fault *f) {
    char *program = text_format("%s/%s", scratch, scheme->stage);
    grade_choice choice = {.variant = scheme->marked};
    int result = make_program(o, scheme, program, &choice, f);
    const grade_variant *marked = grade_marked_variant(scheme);
    sheet->variant = choice.variant;
    sheet->function = text_format("%s", choice.function ? choice.function : marked->function);
    sheet->remark = choice.remark;
    choice.remark = NULL;
    grade_session session = {.context = o->context,
                             .scheme = scheme,
                             .scratch = scratch,
                             .program = program,
                             .variant = choice.variant,
                             .variants = &choice.variants,
                             .time_limit = sheet->time_limit,
                             .product_time_limit = sheet->product_time_limit,
                             .memory = sheet->memory_limit};
    if (result == 0)
        result = mark(&session, sheet, f);
    else if (result > 0) {
        mark_nothing(scheme, f->text, sheet);
        *f = (fault){{0}};
        result = 0;
    }
    grade_choice_free(&choice);
    free(program);
    return result;
}

static int write_json(const char *path, const grade_sheet *sheet, fault *f) {
    if (strcmp(path, "-") == 0)
        return grade_print_json(sheet, stdout), 0;
    text_stream text;
    text_open(&text);
    grade_print_json(sheet, text.out);
    text_close(&text);
    const int result = write_file(path, text.text, text.size, f);
    free(text.text);
    return result;
}

static int report(const grade_options *o, const grade_sheet *sheet, fault *f) {
    const bool to_stdout = o->json && strcmp(o->json, "-") == 0;
    if (!to_stdout)
        grade_print(sheet, stdout);
    if (o->json && write_json(o->json, sheet, f) != 0)
        return EXIT_WORK;
    if (grade_points(sheet) < o->required)
        return fault_set(f, "%d points are fewer than the %g that --require asks for", grade_points(sheet),
                         o->required),
               EXIT_POINTS;
    return 0;
}

static void sheet_free(grade_sheet *sheet) {
    for (size_t i = 0; i < sheet->line_count; ++i)
        free(sheet->lines[i].help);
    for (size_t i = 0; i < sheet->finding_count; ++i)
        free(sheet->findings[i].fields);
    free(sheet->findings);
    free(sheet->function);
    free(sheet->remark);
    free(sheet->note);
}

/* In the build directory: a driver must be called as its stage is, and a temporary directory may forbid programs. */
static char *make_scratch(const tool_context *context, fault *f) {
    char *bin = realpath(context->bin, NULL);
    char *path = text_format("%s/../grade/run.XXXXXX", bin ? bin : context->bin);
    free(bin);
    if (mkdtemp(path))
        return path;
    fault_set(f, "cannot make the directory %.400s: %s", path, strerror(errno));
    free(path);
    return NULL;
}

static int grade(const grade_options *o, const grade_scheme *scheme, fault *f) {
    grade_sheet sheet = {.stage = scheme->stage,
                         .file = o->file,
                         .time_limit = o->time_limit,
                         .product_time_limit = o->time_limit / 10,
                         .memory_limit = (size_t)o->memory << 20};
    stops_hold();
    char *scratch = make_scratch(o->context, f);
    int status = EXIT_WORK;
    if (scratch) {
        if (mark_file(o, scheme, scratch, &sheet, f) == 0)
            status = report(o, &sheet, f);
        remove_directory(scratch);
    }
    free(scratch);
    sheet_free(&sheet);
    stop_signal();
    stops_release();
    return status;
}

/* ---- The command --------------------------------------------------------------------------------------------------
 */

/* What the command line means. NULL with a sentence. */
static const grade_scheme *find_scheme(const grade_options *o, fault *f) {
    driver_list stages;
    if (!o->stage) {
        fault_set(f,
                  "name a stage, and after it a kernel file if it is not the stage's exercise.cu: ./ladder grade 02");
        return NULL;
    }
    if (stages_find(o->context->source, &stages, f) != 0)
        return NULL;
    const char *stage = drivers_match(&stages, o->stage, f);
    const grade_scheme *scheme = stage ? grade_scheme_find(stage) : NULL;
    if (stage && !scheme)
        fault_set(f, "%.60s has no exercise that can be marked; the stages from %s to %s have", stage,
                  grade_schemes[0].stage, grade_schemes[grade_scheme_count - 1].stage);
    drivers_free(&stages);
    return scheme;
}

static int check_file(const char *file, fault *f) {
    if (count_check_source(file, f) != 0)
        return -1;
    return access(file, R_OK) == 0 ? 0 : fault_set(f, "cannot read %.400s: %s", file, strerror(errno));
}

/* Points of an earlier marking must not be taken for those of this one, however it ends: the file is emptied before
 * anything can fail. Only a file of points is, and one that is empty. */
static int empty_json(const char *path, fault *f) {
    char *directory = text_format("%s", path), *slash = strrchr(directory, '/');
    if (slash)
        slash[slash == directory] = '\0';
    struct stat status;
    int result = 0;
    if (slash && (stat(directory, &status) != 0 || !S_ISDIR(status.st_mode)))
        result = fault_set(f, "--json: there is no directory %.400s; make it first", directory);
    free(directory);
    if (result != 0 || check_writable("--json", path, f) != 0)
        return -1;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        return 0;
    fault ignored;
    char *text = read_file(path, &ignored);
    const bool is_ours = text && strncmp(text, grade_json_beginning, strlen(grade_json_beginning)) == 0;
    free(text);
    if (!is_ours)
        return fault_set(f, "--json: %.400s is there and is no file of points; name another, or remove it", path);
    return truncate(path, 0) == 0 ? 0 : fault_set(f, "--json: cannot write %.400s: %s", path, strerror(errno));
}

static void print_targets(const grade_scheme *scheme) {
    printf("%s\n", scheme->stage);
    if (scheme->reference_stage)
        printf("%s\n", scheme->reference_stage);
}

int command_grade(tool_context *context, int argc, char **argv, fault *f) {
    grade_options o = {.context = context, .time_limit = 20, .memory = 2048, .required = -1, .f = f};
    if (argp_parse(&grade_argp, argc, argv, 0, NULL, &o) != 0)
        return EXIT_USAGE;
    if (o.json && strcmp(o.json, "-") != 0 && empty_json(o.json, f) != 0)
        return EXIT_USAGE;
    const grade_scheme *scheme = find_scheme(&o, f);
    if (!scheme)
        return EXIT_USAGE;
    char *exercise = o.file ? NULL : text_format("%s/%s/exercise.cu", context->source, scheme->stage);
    if (!o.file)
        o.file = exercise;
    int status = EXIT_USAGE;
    if (check_file(o.file, f) == 0) {
        status = 0;
        if (o.only_targets)
            print_targets(scheme);
        else
            status = grade(&o, scheme, f);
    }
    free(exercise);
    return status;
}

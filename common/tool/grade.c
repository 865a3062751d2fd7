/* ladder grade: builds a reader's kernel file in the place of a stage's kernel.cu, runs it in a process of its own
 * within limits, and gives points. */
#include "count_build.h"
#include "drivers.h"
#include "grade_link.h"
#include "grade_report.h"
#include "grade_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    {"require", 'r', "POINTS", 0, "Exit with 1 when the file earns fewer", 1},
    {"time-limit", 't', "SECONDS", 0, "For all runs of the kernel together (default 20)", 2},
    {"memory-limit", 'm', "MIB", 0, "Memory that the program may use (default 2048)", 2},
    {"targets", 0x10A, 0, OPTION_HIDDEN, "Only print what ./ladder then builds", 3},
    {0},
};

static error_t take_number(grade_options *o, const char *name, const char *text, double low, double high,
                           double *value) {
    char *end;
    *value = strtod(text, &end);
    if (*end || end == text || !(*value >= low) || *value > high)
        return fault_set(o->f, "%s %.40s: it must be a number from %g to %g", name, text, low, high), EINVAL;
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
        return take_number(o, "--require", argument, 0, 100, &o->required);
    case 't':
        return take_number(o, "--time-limit", argument, 0.1, 86400, &o->time_limit);
    case 'm':
        return take_number(o, "--memory-limit", argument, 64, 1 << 20, &o->memory);
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
        "shapes and for what the checks find, 40 for the stage's goals, which are counts of memory requests.\v"
        "Goals are looked at when the result is right. From stage 02 on, the 60 points count in the proportion in "
        "which the goals are met, because a right result alone is the work of the stage before.\n\n"
        "The file is run as you, within limits but in no sandbox. Exit status: 0 marked, 1 marking failed or fewer "
        "points than --require, 2 the command line was wrong.\n\n"
        "Examples: ./ladder grade 02; ./ladder grade 03 my/kernel.cu --json points.json",
    .children = children,
};

/* ---- Marking ------------------------------------------------------------------------------------------------------
 */

static grade_line *add_line(grade_sheet *sheet, const char *name, int of) {
    grade_line *line = &sheet->lines[sheet->line_count++];
    *line = (grade_line){.name = name, .of = of};
    return line;
}

static char *run_of(grade_session *s, const grade_test *test, size_t i, grade_sheet *sheet) {
    return test->kind == GRADE_CHECKS ? grade_run_checked(s, test->runs[i], sheet) : grade_run(s, test->runs[i]);
}

/* Each run that passes earns its share; the first that does not is told. */
static void mark_test(grade_session *s, const grade_test *test, grade_sheet *sheet) {
    grade_line *line = add_line(sheet, test->name, test->points);
    int passed = 0, count = 0;
    for (; test->runs[count]; ++count) {
        char *wrong = run_of(s, test, (size_t)count, sheet);
        passed += !wrong;
        if (line->help)
            free(wrong);
        else
            line->help = wrong;
    }
    line->points = passed == count ? test->points : test->kind == GRADE_CHECKS ? 0 : test->points * passed / count;
    if (passed > 0 && passed < count) {
        char *first = line->help;
        line->help = text_format("%d of %d right; %s", passed, count, first);
        free(first);
    }
}

static void add_unmet_goals(const grade_scheme *scheme, const char *why, grade_sheet *sheet) {
    for (size_t i = 0; i < GRADE_GOALS && scheme->goals[i].points > 0; ++i)
        add_line(sheet, scheme->goals[i].name, scheme->goals[i].points)->help = text_format("%s", why);
}

/* What a kernel that multiplies must have counted: a launch function that computes on the CPU has no counts. Without
 * objdump operations are not known, and there is no such row. */
static bool does_the_work(const count_list *counts) {
    double flops = NAN;
    for (size_t i = 0; i < counts->count; ++i)
        if (strcmp(counts->rows[i].counter, "flops") == 0)
            flops = (isnan(flops) ? 0 : flops) + counts->rows[i].value;
    return counts->count > 0 && !(flops < grade_goal_flops);
}

static int mark_goals(grade_session *s, grade_sheet *sheet, fault *f) {
    const grade_scheme *scheme = s->scheme;
    count_list own = {0}, reference = {0};
    char *wrong = grade_run_counted(s, grade_goal_run, &own);
    int result = 0;
    if (!wrong && !does_the_work(&own))
        wrong = text_format("%s: the launches do fewer operations than this product takes", grade_goal_run);
    if (wrong)
        add_unmet_goals(scheme, wrong, sheet);
    else
        result = grade_count_reference(s, grade_goal_run, &reference, f);
    for (size_t i = 0; !wrong && result == 0 && i < GRADE_GOALS && scheme->goals[i].points > 0; ++i) {
        grade_line *line = add_line(sheet, scheme->goals[i].name, scheme->goals[i].points);
        line->help = scheme->goals[i].missing(&own, &reference);
        line->points = line->help ? 0 : line->of;
    }
    free(wrong);
    counts_free(&own);
    counts_free(&reference);
    return result;
}

/* From the second stage on: points for results count as far as the goals are met. */
static void discount(const grade_scheme *scheme, grade_sheet *sheet, size_t tests) {
    const bool values_right = sheet->lines[0].points == sheet->lines[0].of;
    int met = 0, all = 0, right = 0, paid = 0;
    for (size_t i = tests; i < sheet->line_count; ++i) {
        met += sheet->lines[i].points;
        all += sheet->lines[i].of;
    }
    if (!scheme->inherits || met == all)
        return;
    for (size_t i = 0; i < tests; ++i) {
        grade_line *line = &sheet->lines[i];
        const int earned = line->points;
        line->points = earned * met / all;
        right += earned;
        paid += line->points;
        if (!line->help)
            line->help = text_format("right, but counts only as far as the goals are met: %d of %d points", met, all);
    }
    if (values_right)
        sheet->note =
            text_format("Of %d points for results %d count, because %d of %d points for goals are earned: a right "
                        "result alone is the work of the stage before",
                        right, paid, met, all);
}

static void move_goals_to_the_end(grade_sheet *sheet, size_t goals) {
    grade_line moved[GRADE_GOALS];
    memcpy(moved, &sheet->lines[1], goals * sizeof *moved);
    memmove(&sheet->lines[1], &sheet->lines[1 + goals], (sheet->line_count - 1 - goals) * sizeof *moved);
    memcpy(&sheet->lines[sheet->line_count - goals], moved, goals * sizeof *moved);
}

/* The goals come second, before a test that hangs can use the time up. */
static int mark(grade_session *s, grade_sheet *sheet, fault *f) {
    mark_test(s, &grade_tests[0], sheet);
    int result = 0;
    if (sheet->lines[0].points == sheet->lines[0].of)
        result = mark_goals(s, sheet, f);
    else
        add_unmet_goals(s->scheme, "looked at when the values are right: what a wrong kernel counts means nothing",
                        sheet);
    const size_t goals = sheet->line_count - 1;
    for (size_t i = 1; i < grade_test_count && result == 0; ++i)
        mark_test(s, &grade_tests[i], sheet);
    if (stop_signal())
        return fault_set(f, "interrupted; nothing is marked");
    if (result == 0) {
        move_goals_to_the_end(sheet, goals);
        discount(s->scheme, sheet, sheet->line_count - goals);
    }
    return result;
}

/* A file that makes no program: nothing is earned, and one sentence says why. */
static void mark_nothing(const grade_scheme *scheme, const char *why, grade_sheet *sheet) {
    for (size_t i = 0; i < grade_test_count; ++i)
        add_line(sheet, grade_tests[i].name, grade_tests[i].points);
    for (size_t i = 0; i < GRADE_GOALS && scheme->goals[i].points > 0; ++i)
        add_line(sheet, scheme->goals[i].name, scheme->goals[i].points);
    sheet->lines[0].help = text_format("%s", why);
}

/* ---- From file to points ------------------------------------------------------------------------------------------
 */

/* The compiler's first lines: later ones follow from them. */
static void show_compiler_output(const char *output) {
    enum { SHOWN_LINES = 20 };
    int lines = 0;
    for (const char *p = output ? output : ""; *p && lines < SHOWN_LINES; ++p) {
        fputc(*p, stderr);
        lines += *p == '\n';
    }
}

/* Returns 0 with a program, 1 when the file makes none (the sentence is in *f), -1 when we failed. */
static int make_program(const grade_options *o, const grade_scheme *scheme, const char *program, char **remark,
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
    int result = object ? grade_link(o->context, scheme, o->file, object, program, remark, &refused, f) : -1;
    free(request.output);
    free(object);
    free(headers);
    return result == 0 ? 0 : refused && !stop_signal() ? 1 : -1;
}

static int mark_file(const grade_options *o, const grade_scheme *scheme, const char *scratch, grade_sheet *sheet,
                     fault *f) {
    char *program = text_format("%s/%s", scratch, scheme->stage);
    grade_session session = {.context = o->context,
                             .scheme = scheme,
                             .scratch = scratch,
                             .program = program,
                             .time_limit = o->time_limit,
                             .memory = (size_t)o->memory << 20};
    int result = make_program(o, scheme, program, &sheet->remark, f);
    if (result == 0)
        result = mark(&session, sheet, f);
    else if (result > 0) {
        mark_nothing(scheme, f->text, sheet);
        *f = (fault){{0}};
        result = 0;
    }
    free(session.over);
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
               EXIT_WORK;
    return 0;
}

static void sheet_free(grade_sheet *sheet) {
    for (size_t i = 0; i < sheet->line_count; ++i)
        free(sheet->lines[i].help);
    for (size_t i = 0; i < sheet->finding_count; ++i)
        free(sheet->findings[i].fields);
    free(sheet->findings);
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
    grade_sheet sheet = {.stage = scheme->stage, .file = o->file};
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

static void print_targets(const grade_scheme *scheme) {
    printf("%s\n", scheme->stage);
    if (scheme->reference_stage)
        printf("%s\n", scheme->reference_stage);
}

int command_grade(tool_context *context, int argc, char **argv, fault *f) {
    grade_options o = {.context = context, .time_limit = 20, .memory = 2048, .required = -1, .f = f};
    if (argp_parse(&grade_argp, argc, argv, 0, NULL, &o) != 0)
        return EXIT_USAGE;
    const grade_scheme *scheme = find_scheme(&o, f);
    if (!scheme)
        return EXIT_USAGE;
    char *exercise = o.file ? NULL : text_format("%s/%s/exercise.cu", context->source, scheme->stage);
    if (!o.file)
        o.file = exercise;
    const bool to_file = o.json && strcmp(o.json, "-") != 0;
    int status = EXIT_USAGE;
    if (check_file(o.file, f) == 0 && (!to_file || check_writable("--json", o.json, f) == 0)) {
        status = 0;
        if (o.only_targets)
            print_targets(scheme);
        else
            status = grade(&o, scheme, f);
    }
    free(exercise);
    return status;
}

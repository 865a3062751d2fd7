/* ladder count: what a profiler would say of a kernel, without a GPU. Stages, or any CUDA C file with its own main().
 */
#include "count_build.h"
#include "count_report.h"
#include "drivers.h"
#include "select.h"

#include "counts.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Options ------------------------------------------------------------------------------------------------------
 */

enum { MAX_PASSED = 32 };

typedef struct count_options {
    tool_context *context;
    char *passed[MAX_PASSED]; /* "--name=value" for the drivers; owned */
    size_t passed_count;
    const char **stages; /* point into argv */
    size_t stage_count;
    const char *file; /* FILE.cu, or NULL */
    char **file_arguments;
    const char *gpu, *nvcc, *csv;
    double as; /* edge of the product that the model is asked about, or 0 */
    bool lines, sanitize, only_targets;
    fault *f;
} count_options;

static const struct argp_option options[] = {
    {"size", 's', "N", 0, "Stages: a cube M = N = K (default 256)", 1},
    {"m", 0x100, "M", 0, "Stages: rows of A and C", 1},
    {"n", 0x101, "N", 0, "Stages: columns of B and C", 1},
    {"k", 0x102, "K", 0, "Stages: columns of A, rows of B", 1},
    {"dtype", 't', "TYPE[,...]", 0, "Stages: element types (default: the first that the first kernel has)", 1},
    {"kernel", 'k', "NAME[,...]", 0, "Stages: variants (default all)", 1},
    {"config", 0x105, "NAME[,...]", 0, "Stages: configurations of the variants that have some, or all", 1},
    {"lines", 'l', 0, 0, "Line by line, too (as it is for a single kernel)", 2},
    {"sanitize", 'z', 0, 0,
     "Look for mistakes, too: races, accesses outside arrays, reads of what nothing wrote, barriers that not all "
     "threads reach, launches that a GPU refuses",
     2},
    {"gpu-model", 'g', "NAME", 0, "The GPU of the model: h200 (default), h100, a100, rtx4090, rtx3090, t4", 2},
    {"as", 0x103, "N", 0, "Scale the counts of a cube to this edge for the model, e.g. --size 512 --as 4096", 2},
    {"csv", 'c', "FILE", 0, "Write the counts of every source line here", 2},
    {"nvcc", 0x104, "PATH", OPTION_HIDDEN, "To ask for registers (given by ./ladder)", 3},
    {"targets", 0x10A, 0, OPTION_HIDDEN, "Only print what ./ladder then builds", 3},
    {0},
};

static const char *option_name(int key) {
    for (const struct argp_option *o = options; o->name; ++o)
        if (o->key == key)
            return o->name;
    return NULL;
}

static error_t pass_on(count_options *o, int key, const char *value) {
    if (o->passed_count == MAX_PASSED)
        return fault_set(o->f, "more than %d options; leave some out", MAX_PASSED), EINVAL;
    o->passed[o->passed_count++] = text_format("--%s=%s", option_name(key), value);
    return 0;
}

static error_t take_edge(count_options *o, const char *text) {
    char *end;
    o->as = strtod(text, &end);
    if (*end || end == text || !(o->as >= 1) || o->as > 1e6 || o->as != floor(o->as))
        return fault_set(o->f, "--as %.40s: it must be a whole number from 1 to 1000000", text), EINVAL;
    return 0;
}

static bool is_cuda_file(const char *name) {
    const size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".cu") == 0;
}

static error_t take_argument(count_options *o, char *argument, struct argp_state *state) {
    if (!is_cuda_file(argument)) {
        o->stages[o->stage_count++] = argument;
        return 0;
    }
    /* Whatever follows a file is for its main(). */
    o->file = argument;
    o->file_arguments = &state->argv[state->next];
    state->next = state->argc;
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
    count_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o->context;
        return 0;
    case 'l':
        o->lines = true;
        return 0;
    case 'z':
        o->sanitize = true;
        return 0;
    case 'g':
        o->gpu = argument;
        return 0;
    case 'c':
        o->csv = argument;
        return 0;
    case 0x103:
        return take_edge(o, argument);
    case 0x104:
        o->nvcc = argument;
        return 0;
    case 0x10A:
        o->only_targets = true;
        return 0;
    case ARGP_KEY_ARG:
        return take_argument(o, argument, state);
    default:
        return option_name(key) ? pass_on(o, key, argument) : ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&context_argp, 0, NULL, 0}, {0}};

static const struct argp count_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "[STAGE...]\nFILE.cu [ARGUMENT...]",
    .doc = "Runs kernels on the CPU device and counts what a profiler would: requests and wavefronts of shared memory, "
           "requests and sectors of global memory, floating-point operations, barriers; by kernel and by source line. "
           "From that follows what binds them on a GPU, by a model.\v"
           "FILE.cu is any self-contained CUDA C file with its own main(); what follows it is handed to that. "
           "Examples: ./ladder count 04 --kernel pad0; ./ladder count 01 02 03 04 --size 512 --as 4096; "
           "./ladder count reduction.cu 100000",
    .children = children,
};

/* ---- Counting -----------------------------------------------------------------------------------------------------
 */

/* Everything that was counted: the files' texts one after the other. */
typedef struct collection {
    text_stream text;
    bool has_header;
    bool refused;        /* a stage did not accept the command line */
    size_t left_out;     /* stages that did not, where all were asked */
    bool program_failed; /* it ended badly, though it was counted until then */
    bool kernel_failed;
    bool found; /* the checks did */
} collection;

static int collect(collection *c, const char *path, fault *f) {
    char *text = read_file(path, f);
    if (!text)
        return -1;
    const size_t header = strlen(COUNTS_HEADER "\n");
    const bool good = strncmp(text, COUNTS_HEADER "\n", header) == 0;
    if (good)
        fputs(text + (c->has_header ? header : 0), c->text.out);
    c->has_header = true;
    free(text);
    return good ? 0 : fault_set(f, "%s: this is no file of counts", path);
}

/* Whether a file of findings holds more than its first line. */
static bool any_finding(const char *path) {
    fault ignored;
    char *text = file_exists(path) ? read_file(path, &ignored) : NULL;
    const char *end = text ? strchr(text, '\n') : NULL;
    const bool any = end && end[1];
    free(text);
    return any;
}

static int count_stage(const count_options *o, const char *stage, const char *scratch, collection *c, fault *f) {
    char *driver = text_format("%s/%s", o->context->bin, stage), *counts = text_format("%s/counts.csv", scratch);
    char *findings = text_format("%s/findings.csv", scratch);
    char *argv[MAX_PASSED + 7] = {driver, (char *)"--counts", counts, (char *)"--protocol=none"};
    size_t count = 4;
    for (size_t i = 0; i < o->passed_count; ++i)
        argv[count++] = o->passed[i];
    if (o->sanitize) {
        argv[count++] = (char *)"--findings";
        argv[count++] = findings;
    }
    unlink(counts);
    unlink(findings);
    const int status = process_run(argv, NULL, false);
    const bool found = any_finding(findings);
    c->found = c->found || found;
    int result = 0;
    c->refused = exited_with(status, EXIT_USAGE);
    if (c->refused && o->stage_count == 0 && o->passed_count > 0) {
        printf("%s: left out: it did not accept these options\n", stage); /* it has no kernel of that name */
        c->refused = false;
        ++c->left_out;
    } else if (c->refused)
        result = fault_set(f, "%s did not accept these options; its words are above", stage);
    else if (!exited_with(status, 0) && !found)
        result = fault_set(f, "%s failed; what it counted means nothing", stage);
    else
        result = collect(c, counts, f);
    free(findings);
    free(counts);
    free(driver);
    return result;
}

static int count_stages(const count_options *o, const char *scratch, collection *c, fault *f) {
    driver_list drivers;
    if (drivers_find(o->context->bin, &drivers, f) != 0)
        return -1;
    int result = 0;
    for (size_t i = 0; i < (o->stage_count ? o->stage_count : drivers.count) && result == 0; ++i) {
        const char *stage = o->stage_count ? drivers_match(&drivers, o->stages[i], f) : drivers.names[i];
        c->refused = !stage;
        result = stage ? count_stage(o, stage, scratch, c, f) : -1;
    }
    if (result == 0 && c->left_out == drivers.count) {
        c->refused = true;
        result = fault_set(f, "no stage accepted these options (see above)");
    }
    drivers_free(&drivers);
    return result;
}

static int count_file(const count_options *o, const char *scratch, collection *c, fault *f) {
    char *program = count_build(o->context, o->file, o->sanitize, f);
    if (!program)
        return -1;
    char *counts = text_format("%s/counts.csv", scratch);
    size_t count = 0;
    while (o->file_arguments[count])
        ++count;
    char **argv = calloc(count + 2, sizeof *argv);
    argv[0] = program;
    memcpy(&argv[1], o->file_arguments, count * sizeof *argv);
    char *findings = text_format("%s/findings.csv", scratch);
    setenv("CPU_DEVICE_COUNTS", counts, 1);
    if (o->sanitize)
        setenv("CPU_DEVICE_FINDINGS", findings, 1);
    const int status = process_run(argv, NULL, false);
    c->found = any_finding(findings);
    free(findings);
    int result = 0;
    if (stop_signal())
        result = fault_set(
            f, "interrupted; %s was ended, and nothing is counted of a program that did not end by itself", o->file);
    else if (status < 0)
        result = fault_set(f, "%s could not be started", program);
    else if (!file_exists(counts) && exited_with(status, 0))
        result = fault_set(f, "%s: no kernel was launched, or the program left by _exit()", o->file);
    else if (!file_exists(counts))
        result = fault_set(f, "%s ended without counts: it crashed, or left by _exit()", o->file);
    else
        result = collect(c, counts, f);
    c->program_failed = result == 0 && !exited_with(status, 0);
    if (c->program_failed)
        printf("(the program ended with an error; what follows is what it did until then)\n");
    free(argv);
    free(counts);
    free(program);
    return result;
}

/* ---- Showing ------------------------------------------------------------------------------------------------------
 */

/* The stage's source, or the file: for the text of lines. */
static char *source_of(const count_options *o, const count_row *launch) {
    return launch->stage[0] ? text_format("%s/%s/kernel.cu", o->context->source, launch->stage)
                            : text_format("%s", o->file);
}

static double scale_of(const count_options *o, const count_list *list, fault *f) {
    if (o->as == 0)
        return 1;
    for (size_t i = 0; i < list->count; ++i) {
        const count_row *r = &list->rows[i];
        if (r->m != r->n || r->n != r->k || r->m == 0)
            return fault_set(f, "--as scales cubes only; give --size, not --m, --n and --k"), NAN;
        if (r->m != list->rows[0].m)
            return fault_set(f, "--as scales one cube; give --size one number"), NAN;
    }
    if (list->count && o->as < (double)list->rows[0].m)
        return fault_set(f, "--as %.0f: it must not be smaller than the product that is counted, %lld", o->as,
                         (long long)list->rows[0].m),
               NAN;
    return list->count ? o->as / (double)list->rows[0].m : 1;
}

static void show_lines(const count_options *o, const count_list *list) {
    size_t count;
    const count_row **launches = counts_launches(list, &count);
    for (size_t i = 0; launches && i < count && (o->lines || count == 1); ++i) {
        const count_row *l = launches[i];
        char *source = source_of(o, l);
        printf("\n%s %s %s\n\n", l->stage[0] ? l->stage : o->file, l->kernel, l->dtype);
        count_report_lines(list, l, source, stdout);
        free(source);
    }
    free(launches);
}

/* A stage's kernels may lie in several files: kernel.cu, kernel_tf32.cu, ... */
static void ask_about_stage(const count_options *o, const char *stage, const gpu_model *gpu,
                            compiled_source *compiled) {
    char *pattern = text_format("%s/%s/kernel*.cu", o->context->source, stage);
    glob_t files = {0};
    if (glob(pattern, 0, NULL, &files) == 0)
        for (size_t i = 0; i < files.gl_pathc; ++i)
            compiled_ask_nvcc(compiled, o->context, gpu, o->nvcc, files.gl_pathv[i]);
    globfree(&files);
    free(pattern);
}

/* Where several stages are asked about, registers are those of the record: a compiler takes seconds for each. */
static void ask_compiler(const count_options *o, const count_list *list, const gpu_model *gpu,
                         compiled_source *compiled) {
    const bool one_stage = list->count && strcmp(list->rows[0].stage, list->rows[list->count - 1].stage) == 0;
    if (!o->nvcc || !one_stage)
        return;
    if (o->file)
        compiled_ask_nvcc(compiled, o->context, gpu, o->nvcc, o->file);
    else
        ask_about_stage(o, list->rows[0].stage, gpu, compiled);
}

static void read_if_there(const char *path, record_list *recorded) {
    fault unreadable; /* without a record nothing is compared */
    if (file_exists(path))
        load_record(path, recorded, &unreadable);
}

/* The campaign's record, and those of other types: plots/data/TYPE/GPU.csv. */
static void read_recorded(const count_options *o, const count_list *list, const gpu_model *gpu, record_list *recorded) {
    char *path = text_format("%s/plots/data/%s.csv", o->context->source, gpu->slug);
    read_if_there(path, recorded);
    free(path);
    string_list types = {0};
    for (size_t i = 0; i < list->count; ++i) {
        const char *type = list->rows[i].dtype;
        if (!*type || list_has(&types, type))
            continue;
        list_copy(&types, type);
        path = text_format("%s/plots/data/%s/%s.csv", o->context->source, type, gpu->slug);
        read_if_there(path, recorded);
        free(path);
    }
    list_free(&types);
}

static void show(const count_options *o, const count_list *list, const gpu_model *gpu, double scale) {
    compiled_source compiled;
    record_list recorded = {0};
    read_recorded(o, list, gpu, &recorded);
    compiled_open(&compiled, o->context, gpu);
    ask_compiler(o, list, gpu, &compiled);
    const count_question question = {gpu, scale, &compiled, &recorded};
    putchar('\n');
    count_report_counts(list, GRID_TEXT, stdout);
    show_lines(o, list);
    printf("\nWhat binds on %s (model)\n\n", gpu->title);
    count_report_limits(list, &question, GRID_TEXT, stdout);
    compiled_close(&compiled);
    record_list_free(&recorded);
}

static bool any_failed(const count_list *list) {
    for (size_t i = 0; i < list->count; ++i)
        if (strcmp(list->rows[i].counter, "failed_launches") == 0 && list->rows[i].value > 0)
            return true;
    return false;
}

/* Returns the exit status. */
static int status_of(const collection *c, int result, const count_options *o, fault *f) {
    if (result == 0 && c->program_failed)
        result = fault_set(f, "%.400s ended with an error", o->file);
    else if (result == 0 && c->found)
        result = fault_set(f, "the checks found mistakes: see above");
    else if (result == 0 && c->kernel_failed)
        result = fault_set(f, "a kernel failed: see above");
    return result == 0 ? 0 : c->refused ? EXIT_USAGE : EXIT_WORK;
}

static int count_all(const count_options *o, const gpu_model *gpu, const char *scratch, fault *f) {
    collection c = {0};
    text_open(&c.text);
    int result = o->file ? count_file(o, scratch, &c, f) : count_stages(o, scratch, &c, f);
    text_close(&c.text);
    char *path = text_format("%s/all.csv", scratch);
    count_list list = {0};
    if (result == 0)
        result = write_file(path, c.text.text, c.text.size, f);
    if (result == 0)
        result = counts_read(path, &list, f);
    if (result == 0 && list.count == 0)
        result = fault_set(f, "no kernel was launched");
    if (result == 0 && isnan(scale_of(o, &list, f))) {
        c.refused = true;
        result = -1;
    }
    if (result == 0)
        show(o, &list, gpu, scale_of(o, &list, f));
    c.kernel_failed = result == 0 && any_failed(&list);
    if (result == 0 && o->csv && !c.kernel_failed && !c.found)
        result = write_file(o->csv, c.text.text, c.text.size, f);
    counts_free(&list);
    free(path);
    free(c.text.text);
    return status_of(&c, result, o, f);
}

static int count(const count_options *o, fault *f) {
    const gpu_model *gpu = gpu_model_find(o->gpu, f);
    if (!gpu || counts_check_replaceable("--csv", o->csv, f) != 0 || (o->file && count_check_source(o->file, f) != 0))
        return EXIT_USAGE;
    if (o->file && (o->stage_count || o->passed_count || o->as != 0))
        return fault_set(f, "a file has no stages, sizes or types: write ./ladder count [--lines] %.200s [ARGUMENT...]",
                         o->file),
               EXIT_USAGE;
    char *scratch = make_temporary_directory(f);
    const int status = scratch ? count_all(o, gpu, scratch, f) : EXIT_WORK;
    if (scratch)
        remove_directory(scratch);
    free(scratch);
    return status;
}

int command_count(tool_context *context, int argc, char **argv, fault *f) {
    count_options o = {.context = context, .gpu = "h200", .f = f};
    o.stages = calloc((size_t)argc + 1, sizeof *o.stages);
    int status = EXIT_USAGE;
    const bool parsed = o.stages && argp_parse(&count_argp, argc, argv, ARGP_IN_ORDER, NULL, &o) == 0;
    if (parsed && o.only_targets && o.file)
        status = puts("cpu_device") < 0 ? EXIT_WORK : 0;
    else if (parsed && o.only_targets)
        status = stages_print(context->source, o.stages, o.stage_count, f);
    else if (parsed)
        status = count(&o, f);
    for (size_t i = 0; i < o.passed_count; ++i)
        free(o.passed[i]);
    free(o.stages);
    return status;
}

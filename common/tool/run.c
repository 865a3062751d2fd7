/* ladder run: every stage driver in order, then one record, its table and its pictures. */
#include "drivers.h"
#include "plot.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Options ------------------------------------------------------------------------------------------------------
 */

/* Handed on to the drivers, which know their limits and say what is wrong with a value. */
static const struct argp_option options[] = {
    {"size", 's', "N[,N...]", 0, "Cubes M = N = K (default 256 on the CPU device, 1024,2048,4096 on a GPU)", 1},
    {"m", 0x100, "M", 0, "Rows of A and C", 1},
    {"n", 0x101, "N", 0, "Columns of B and C", 1},
    {"k", 0x102, "K", 0, "Columns of A, rows of B", 1},
    {"alpha", 0x103, "X", 0, "C = alpha A B + beta C", 1},
    {"beta", 0x104, "X", 0, NULL, 1},
    {"dtype", 't', "TYPE[,...]", 0, "Element types (default f32,f16)", 1},
    {"init", 0x105, "KIND", 0, "Input data (default normal)", 1},
    {"seed", 0x106, "S", 0, "Of the random input", 1},
    {"kernel", 'k', "NAME[,...]", 0, "Variants (default all); stages without them are left out", 2},
    {"check", 'c', "full|sampled|none", 0, "How much of C is compared with the float64 oracle", 2},
    {"protocol", 'p', "NAME", 0, "burst, sustained, both or none (default both on a GPU, none on the CPU device)", 2},
    {"warmup", 0x107, "COUNT", 0, "Launches before timing", 2},
    {"samples", 0x108, "COUNT", 0, "Timed groups", 2},
    {"quick", 'q', 0, 0, "A look in seconds: size 64 on the CPU device; 1024, burst on a GPU", 3},
    {"out", 'o', "FILE", 0, "Write the record here instead", 3},
    {0},
};

enum { MAX_PASSED = 64 };

typedef struct run_options {
    tool_context *context;
    char *passed[MAX_PASSED]; /* "--name=value", owned */
    size_t passed_count;
    const char **stages; /* point into argv */
    size_t stage_count;
    bool quick;
    const char *out;
    fault *f;
} run_options;

static const char *option_name(int key) {
    for (const struct argp_option *o = options; o->name; ++o)
        if (o->key == key)
            return o->name;
    return NULL;
}

/* The value the user gave to `name`, or NULL. */
static const char *given(const run_options *o, const char *name) {
    const size_t length = strlen(name);
    for (size_t i = 0; i < o->passed_count; ++i)
        if (strncmp(o->passed[i] + 2, name, length) == 0 && o->passed[i][2 + length] == '=')
            return o->passed[i] + 3 + length;
    return NULL;
}

static error_t pass_on(run_options *o, int key, const char *value) {
    if (o->passed_count == MAX_PASSED)
        return fault_set(o->f, "more than %d options; leave some out", MAX_PASSED), EINVAL;
    o->passed[o->passed_count++] = text_format("--%s=%s", option_name(key), value);
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
    run_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o->context;
        return 0;
    case 'q':
        o->quick = true;
        return 0;
    case 'o':
        o->out = argument;
        return 0;
    case ARGP_KEY_ARG:
        o->stages[o->stage_count++] = argument;
        return 0;
    default:
        return option_name(key) ? pass_on(o, key, argument) : ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&context_argp, 0, NULL, 0}, {0}};

static const struct argp run_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "[STAGE...]",
    .doc =
        "Runs the stages (default all), checks every result, and writes the record, the table and the plots.\v"
        "A stage is its number or its directory: ./ladder run 1 02_tiling. On a GPU a run of everything with default "
        "options replaces plots/data/<gpu>.csv and the pictures beside it when every row passed; any other run stays "
        "in build/<device>/results. A failed kernel is a row that says why, and makes the exit status 1.",
    .children = children,
};

/* ---- What the drivers are told ------------------------------------------------------------------------------------
 */

typedef struct call {
    const char *options[MAX_PASSED + 8]; /* NULL-terminated */
} call;

static void add_default(call *c, size_t *count, const run_options *o, const char *name, const char *option) {
    if (!given(o, name))
        c->options[(*count)++] = option;
}

static bool on_gpu(const run_options *o) { return strcmp(o->context->device, "gpu") == 0; }

static bool shape_given(const run_options *o) {
    return given(o, "size") || given(o, "m") || given(o, "n") || given(o, "k");
}

/* 129 x 257 x 65 is one past every tile edge, so that no kernel can lean on divisible shapes. */
static const char *const ragged_shape[] = {"--m=129", "--n=257", "--k=65"};

static size_t add_shape(call *c, const run_options *o, bool ragged) {
    size_t count = 0;
    if (shape_given(o))
        return 0;
    if (ragged)
        for (; count < 3; ++count)
            c->options[count] = ragged_shape[count];
    else if (on_gpu(o))
        c->options[count++] = o->quick ? "--size=1024" : "--size=1024,2048,4096";
    else
        c->options[count++] = o->quick ? "--size=64" : "--size=256";
    return count;
}

static call make_call(const run_options *o, bool ragged) {
    call c = {{0}};
    size_t count = add_shape(&c, o, ragged);
    c.options[count++] = on_gpu(o) ? "--device=gpu" : "--device=cpu";
    add_default(&c, &count, o, "dtype", "--dtype=f32,f16");
    add_default(&c, &count, o, "kernel", "--kernel=all");
    add_default(&c, &count, o, "protocol",
                !on_gpu(o) ? "--protocol=none"
                : o->quick ? "--protocol=burst"
                           : "--protocol=both");
    for (size_t i = 0; i < o->passed_count; ++i)
        c.options[count++] = o->passed[i];
    return c;
}

/* ---- The campaign -------------------------------------------------------------------------------------------------
 */

typedef struct campaign {
    record_list list;
    size_t refused, ran; /* driver calls */
    bool interrupted;
} campaign;

/* A stage that has no kernel of the name asked for is left out; a refusal of our own defaults is a failure. */
static int note_refusal(const run_options *o, const char *name, campaign *c, fault *f) {
    ++c->refused;
    if (o->passed_count > 0) {
        printf("%s: left out: it did not accept these options\n", name);
        return 0;
    }
    return driver_add_failure(&c->list, name, "the driver refused its command line (exit status 2)", f);
}

static int run_stage(const run_options *o, const char *name, const char *scratch, campaign *c, fault *f) {
    const bool with_ragged = !on_gpu(o) && !o->quick && !shape_given(o);
    printf("\n%s\n", name);
    for (int ragged = 0; ragged <= with_ragged; ++ragged) {
        const call told = make_call(o, ragged);
        driver_outcome outcome;
        int result = driver_run(o->context->bin, name, told.options, scratch, &c->list, &outcome, f);
        if (result == 0 && outcome == DRIVER_REFUSED)
            result = note_refusal(o, name, c, f);
        if (outcome == DRIVER_RAN)
            ++c->ran;
        c->interrupted = outcome == DRIVER_INTERRUPTED;
        if (result != 0 || c->interrupted)
            return result;
    }
    return 0;
}

static int run_stages(const run_options *o, char *const names[], size_t count, campaign *c, fault *f) {
    char *scratch = make_temporary_directory(f);
    if (!scratch)
        return -1;
    int result = 0;
    for (size_t i = 0; i < count && result == 0 && !c->interrupted; ++i)
        result = run_stage(o, names[i], scratch, c, f);
    remove_directory(scratch);
    free(scratch);
    return result;
}

/* The drivers named on the command line, or all of them. `chosen` borrows from the list. */
static int choose_stages(const run_options *o, const driver_list *drivers, char **chosen, size_t *count, fault *f) {
    *count = 0;
    for (size_t i = 0; i < o->stage_count; ++i) {
        const char *name = drivers_match(drivers, o->stages[i], f);
        if (!name)
            return -1;
        chosen[(*count)++] = (char *)name;
    }
    for (size_t i = 0; o->stage_count == 0 && i < drivers->count; ++i)
        chosen[(*count)++] = drivers->names[i];
    return 0;
}

/* ---- Results ------------------------------------------------------------------------------------------------------
 */

typedef struct places {
    char *csv, *pictures, *table; /* owned */
} places;

static size_t count_status(const record_list *list, const char *status) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; ++i)
        count += strcmp(list->rows[i].status, status) == 0;
    return count;
}

static bool default_campaign(const run_options *o) {
    return on_gpu(o) && o->passed_count == 0 && o->stage_count == 0 && !o->quick && !o->out;
}

static places choose_places(const run_options *o, const record_list *list) {
    const char *source = o->context->source;
    const char *gpu = record_gpu(list);
    places p = {0};
    if (default_campaign(o) && gpu[0] && count_status(list, "fail") == 0) {
        char *name = slug(gpu);
        p.csv = text_format("%s/plots/data/%s.csv", source, name);
        p.pictures = text_format("%s/plots/%s", source, name);
        free(name);
    } else {
        const char *device = on_gpu(o) ? "gpu" : "cpu";
        p.pictures = text_format("%s/build/%s/results", source, device);
        p.csv = o->out ? text_format("%s", o->out) : text_format("%s/%s.csv", p.pictures, device);
        if (default_campaign(o))
            printf("\nplots/data is as it was: a recorded campaign has no failed row, and names its GPU.\n");
    }
    p.table = text_format("%s/table.md", p.pictures);
    return p;
}

static void free_places(places *p) {
    free(p->csv);
    free(p->pictures);
    free(p->table);
}

/* The CPU device measures no speeds; what stands beside its checks is a recorded GPU's, named as such. */
static void put_recorded(const record_list *recorded, report_style style, FILE *out) {
    selection s = {0};
    selection_settle(&s, recorded);
    fprintf(out, "\n%sRecorded on %s, not on this machine\n\n", style.format == GRID_MARKDOWN ? "## " : "",
            record_gpu(recorded));
    report_article(recorded, &s, style, out);
}

static void put_tables(const run_options *o, const record_list *list, const record_list *recorded, report_style style,
                       FILE *out) {
    const char *heading = style.format == GRID_MARKDOWN ? "## " : "";
    if (!on_gpu(o)) {
        fprintf(out, "%sChecks on the CPU device\n\n", heading);
        report_checks(list, style, out);
        if (recorded->count > 0)
            put_recorded(recorded, style, out);
        return;
    }
    selection article = {0}, everything = {0};
    selection_settle(&article, list);
    fprintf(out, "%sThe article's table beside this run\n\n", heading);
    report_article(list, &article, style, out);
    fprintf(out, "\n%sEvery row\n\n", heading);
    report_rows(list, &everything, style, out);
}

static int write_table(const run_options *o, const record_list *list, const record_list *recorded, const char *path,
                       fault *f) {
    text_stream s;
    text_open(&s);
    put_tables(o, list, recorded, (report_style){GRID_MARKDOWN, LANG_EN}, s.out);
    text_close(&s);
    const int result = write_file(path, s.text, s.size, f);
    free(s.text);
    return result;
}

static int draw(const run_options *o, const record_list *list, const record_list *recorded, const char *directory,
                fault *f) {
    const selection any = {0};
    if (on_gpu(o))
        return plot_speeds(o->context, list, any, directory, f);
    int result = plot_errors(o->context, list, directory, f);
    if (result == 0 && recorded->count > 0)
        result = plot_speeds(o->context, recorded, any, directory, f);
    return result;
}

/* Writes the record, making its directory. Where that cannot be, the rows go to build/<device>/results/rescued.csv:
 * hours of measuring must not be lost to a full disk or a wrong path. Returns 0, or -1 with a sentence that says where
 * they are. */
static int write_record(const run_options *o, const char *path, const record_list *list, fault *f) {
    char *directory = text_format("%s", path), *slash = strrchr(directory, '/');
    if (slash && slash != directory)
        *slash = '\0';
    const int made = slash ? make_directories(directory, f) : 0;
    free(directory);
    if (made == 0 && record_write_csv(path, list, f->text, sizeof f->text) == 0)
        return 0;
    fault ignored;
    char *results = text_format("%s/build/%s/results", o->context->source, on_gpu(o) ? "gpu" : "cpu");
    char *rescued = text_format("%s/rescued.csv", results);
    if (make_directories(results, &ignored) == 0 &&
        record_write_csv(rescued, list, ignored.text, sizeof ignored.text) == 0) {
        char *why = text_format("%s", f->text);
        fault_set(f, "%s; the rows are in %s", why, rescued);
        free(why);
    }
    free(rescued);
    free(results);
    return -1;
}

/* The record comes first: whatever happens to a table or a picture, the measured rows are safe. */
static int write_results(const run_options *o, record_list *list, const record_list *recorded, fault *f) {
    places p = choose_places(o, list);
    int result = write_record(o, p.csv, list, f);
    if (result == 0)
        result = make_directories(p.pictures, f);
    if (result == 0)
        result = write_table(o, list, recorded, p.table, f);
    if (result == 0) {
        putchar('\n');
        put_tables(o, list, recorded, (report_style){GRID_TEXT, LANG_EN}, stdout);
        putchar('\n');
        result = draw(o, list, recorded, p.pictures, f);
        printf("record: %s\ntable: %s\n", p.csv, p.table);
    }
    free_places(&p);
    return result;
}

static int publish(const run_options *o, record_list *list, fault *f) {
    record_fill_speedups(list);
    record_list recorded = {0};
    char *path = text_format("%s/plots/data/nvidia-h200.csv", o->context->source);
    fault unreadable = {{0}};
    if (!on_gpu(o) && file_exists(path) && load_record(path, &recorded, &unreadable) != 0)
        printf("The recorded figures are left out: %s\n", unreadable.text);
    const int result = write_results(o, list, &recorded, f);
    record_list_free(&recorded);
    free(path);
    return result;
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int finish(const run_options *o, campaign *c, double begin, fault *f) {
    if (c->interrupted)
        return fault_set(f, "interrupted; no file was changed"), EXIT_INTERRUPTED;
    if (c->ran == 0)
        return fault_set(f, "no stage accepted these options (see above); no file was changed"), EXIT_USAGE;
    if (publish(o, &c->list, f) != 0)
        return EXIT_WORK;
    const size_t failed = count_status(&c->list, "fail");
    printf("%zu rows: %zu passed, %zu failed, %zu skipped; %.1f s\n", c->list.count, count_status(&c->list, "pass"),
           failed, count_status(&c->list, "skip"), seconds_now() - begin);
    return failed ? EXIT_WORK : 0;
}

static int run_campaign(const run_options *o, fault *f) {
    const double begin = seconds_now();
    driver_list drivers;
    if (drivers_find(o->context->bin, &drivers, f) != 0)
        return EXIT_WORK;
    char **chosen = calloc(drivers.count + o->stage_count, sizeof *chosen);
    size_t count = 0;
    campaign c = {{0}, 0, 0, false};
    int status = EXIT_USAGE;
    if (chosen && choose_stages(o, &drivers, chosen, &count, f) == 0)
        status = run_stages(o, chosen, count, &c, f) == 0 ? finish(o, &c, begin, f) : EXIT_WORK;
    record_list_free(&c.list);
    free(chosen);
    drivers_free(&drivers);
    return status;
}

int command_run(tool_context *context, int argc, char **argv, fault *f) {
    run_options o = {.context = context, .f = f, .stages = calloc((size_t)argc + 1, sizeof(char *))};
    int status = EXIT_USAGE;
    if (o.stages && argp_parse(&run_argp, argc, argv, 0, NULL, &o) == 0)
        status = run_campaign(&o, f);
    for (size_t i = 0; i < o.passed_count; ++i)
        free(o.passed[i]);
    free(o.stages);
    return status;
}

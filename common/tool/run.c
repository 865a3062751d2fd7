/* ladder run: every stage driver in order, then one record, its table and its pictures. */
#include "count_report.h"
#include "counts.h"
#include "drivers.h"
#include "list.h"
#include "plot.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Options ------------------------------------------------------------------------------------------------------
 */

/* Handed on to the drivers, which know their limits and say what is wrong with a value. */
static const struct argp_option options[] = {
    {"size", 's', "N[,N...]", 0,
     "Cubes M = N = K, or MxNxK such as 128x2112x7168 (default 256 on the CPU device, 1024,2048,4096 on a GPU)", 1},
    {"m", 0x100, "M", 0, "Rows of A and C", 1},
    {"n", 0x101, "N", 0, "Columns of B and C", 1},
    {"k", 0x102, "K", 0, "Columns of A, rows of B", 1},
    {"alpha", 0x103, "X", 0, "C = alpha A B + beta C", 1},
    {"beta", 0x104, "X", 0, NULL, 1},
    {"dtype", 't', "TYPE[,...]", 0,
     "f32, f16, bf16, tf32 (default those of f32,f16 that a kernel has; one that is named and has neither: its own)",
     1},
    {"init", 0x105, "KIND", 0, "Input data (default normal)", 1},
    {"seed", 0x106, "S", 0, "Of the random input", 1},
    {"kernel", 'k', "NAME[,...]", 0, "Variants (default all); stages without them are left out", 2},
    {"config", 0x10C, "NAME[,...]", 0, "Configurations of the variants that have some, or all", 2},
    {"check", 'c', "full|sampled|none", 0, "How much of C is compared with the float64 oracle", 2},
    {"protocol", 'p', "NAME", 0,
     "burst, sustained, both or none (default none on the CPU device; on a GPU burst for all, and sustained, too, for "
     "the kernels that --kernel names, or else for those of the article's table)",
     2},
    {"warmup", 0x107, "COUNT", 0, "Launches before timing", 2},
    {"samples", 0x108, "COUNT", 0, "Timed groups", 2},
    {"repeat", 0x10D, "TIMES", 0, "Run each kernel so often on one problem: the bits of its result must not change", 2},
    {"quick", 'q', 0, 0, "A look in seconds: size 64 on the CPU device; 1024, burst on a GPU", 3},
    {"out", 'o', "FILE", 0, "Write the record here instead, and neither table nor pictures", 3},
    {"time-limit", 0x109, "SECONDS", 0, "End a driver that runs longer (default 600 on the CPU device, 1800 on a GPU)",
     3},
    {"targets", 0x10A, 0, OPTION_HIDDEN, "Only print the chosen stages, which ./ladder then builds", 3},
    {"broken", 0x10B, "STAGE=LOG", OPTION_HIDDEN, "A stage that does not compile (given by ./ladder)", 3},
    {0},
};

enum { MAX_PASSED = 64 };

typedef struct run_options {
    tool_context *context;
    char *passed[MAX_PASSED]; /* "--name=value", owned */
    size_t passed_count;
    const char **stages; /* point into argv */
    size_t stage_count;
    const char **broken; /* "01_naive=LOG", point into argv */
    size_t broken_count;
    bool quick, only_targets;
    double time_limit; /* seconds */
    const char *out;
    fault *f;
} run_options;

static const char *option_name(int key) {
    for (const struct argp_option *o = options; o->name; ++o)
        if (o->key == key)
            return o->name;
    return NULL;
}

/* Of "--name=value". */
static bool is_option(const char *passed, const char *name) {
    const size_t length = strlen(name);
    return strncmp(passed + 2, name, length) == 0 && passed[2 + length] == '=';
}

static const char *option_value(const char *passed) { return strchr(passed, '=') + 1; }

static bool given(const run_options *o, const char *name) {
    for (size_t i = 0; i < o->passed_count; ++i)
        if (is_option(o->passed[i], name))
            return true;
    return false;
}

static error_t pass_on(run_options *o, int key, const char *value) {
    if (o->passed_count == MAX_PASSED)
        return fault_set(o->f, "more than %d options; leave some out", MAX_PASSED), EINVAL;
    o->passed[o->passed_count++] = text_format("--%s=%s", option_name(key), value);
    return 0;
}

static error_t take_time_limit(run_options *o, const char *text) {
    char *end;
    o->time_limit = strtod(text, &end);
    if (*end || end == text || !(o->time_limit > 0))
        return fault_set(o->f, "--time-limit %.40s: it must be a number of seconds above 0", text), EINVAL;
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
    case 0x109:
        return take_time_limit(o, argument);
    case 0x10A:
        o->only_targets = true;
        return 0;
    case 0x10B:
        o->broken[o->broken_count++] = argument;
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
        "in build/<device>/results, and replaces the table and the pictures there, too; with --out it writes that file "
        "only. A failed kernel is a row that says why, and makes the exit status 1.",
    .children = children,
};

/* ---- What the drivers are told ------------------------------------------------------------------------------------
 */

typedef struct call {
    const char *options[MAX_PASSED + 10]; /* NULL-terminated */
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

/* A stage that is to run. */
typedef struct chosen_stage {
    const char *name;   /* borrowed from the list of drivers */
    const char *broken; /* the log that says why it does not compile, or NULL; borrowed */
    char *has;          /* ",a,b,": its kernels, or NULL: not asked for, or it did not say; owned */
    char *configs;      /* ",a/small,a/large,": their configurations, where `has` was asked for; owned */
    char *kernels;      /* "--kernel=a": those of the asked ones that it has, or NULL; owned */
    char *sustained;    /* "--sustained=a": those that are worth the time, or NULL: all; owned */
} chosen_stage;

/* `counts` is the stage's --counts option or NULL. Where it has no --kernel option of its own, what was asked is passed
 * on as it is. */
static call make_call(const run_options *o, const chosen_stage *stage, const char *counts, bool ragged) {
    const char *const kernels = stage->kernels;
    call c = {{0}};
    size_t count = add_shape(&c, o, ragged);
    c.options[count++] = on_gpu(o) ? "--device=gpu" : "--device=cpu";
    add_default(&c, &count, o, "dtype", "--default-dtype=f32,f16");
    add_default(&c, &count, o, "kernel", "--kernel=all");
    add_default(&c, &count, o, "protocol",
                !on_gpu(o) ? "--protocol=none"
                : o->quick ? "--protocol=burst"
                           : "--protocol=both");
    if (stage->sustained)
        c.options[count++] = stage->sustained;
    for (size_t i = 0; i < o->passed_count; ++i)
        if (!kernels || !is_option(o->passed[i], "kernel"))
            c.options[count++] = o->passed[i];
    if (kernels)
        c.options[count++] = kernels;
    if (counts)
        c.options[count++] = counts;
    return c;
}

/* ---- Which stage has which kernel ---------------------------------------------------------------------------------
 */

static bool is_in(const char *names, const char *name, size_t length) {
    char *needle = text_format(",%.*s,", (int)length, name);
    const bool found = names && strstr(names, needle);
    free(needle);
    return found;
}

static bool has_kernel(const chosen_stage *stage, const char *name) { return is_in(stage->has, name, strlen(name)); }

/* "mma/128x128x64" stands in rows and lists; asked for, it is two options. Whether that is what the name is; then a
 * sentence says what to write instead. */
static bool explain_slash(const chosen_stage *stages, size_t count, const char *name, fault *f) {
    const size_t length = strcspn(name, "/");
    const chosen_stage *owner = NULL;
    for (size_t i = 0; i < count && name[length]; ++i) {
        if (is_in(stages[i].configs, name, strlen(name))) {
            fault_set(f, "--kernel %.60s: it is a kernel and its configuration; give --kernel %.*s --config %.60s",
                      name, (int)length, name, name + length + 1);
            return true;
        }
        if (is_in(stages[i].has, name, length))
            owner = &stages[i];
    }
    if (!owner)
        return false;
    text_stream known;
    text_open(&known);
    string_list told = {0}; /* each type of the kernel lists them */
    for (const char *at = owner->configs; *at; at += strcspn(at + 1, ",") + 1) {
        char *whole = text_format("%.*s", (int)strcspn(at + 1, ","), at + 1);
        if (strncmp(whole, name, length + 1) == 0 && !list_has(&told, whole)) {
            fprintf(known.out, "%s%s", told.count > 0 ? ", " : "", whole + length + 1);
            list_copy(&told, whole);
        }
        free(whole);
    }
    list_free(&told);
    text_close(&known);
    if (known.size > 0)
        fault_set(f, "--kernel %.60s: %.*s has no such configuration; it has %.400s", name, (int)length, name,
                  known.text);
    else
        fault_set(f, "--kernel %.60s: %.*s has no configurations", name, (int)length, name);
    free(known.text);
    return true;
}

/* The names the user asked for, from however many --kernel, comma after comma; NULL for all. Free it. */
static char *asked_kernels(const run_options *o) {
    text_stream s;
    text_open(&s);
    for (size_t i = 0; i < o->passed_count; ++i)
        if (is_option(o->passed[i], "kernel"))
            fprintf(s.out, ",%s", option_value(o->passed[i]));
    putc(',', s.out);
    text_close(&s);
    if (s.size > 1 && !strstr(s.text, ",all,"))
        return s.text;
    free(s.text);
    return NULL;
}

/* Gives each stage the name if it has it. A name that every stage is known to lack is a slip of the keyboard. */
static int give_kernel(chosen_stage *stages, size_t count, const char *name, fault *f) {
    bool known = false;
    text_stream all;
    text_open(&all);
    for (size_t i = 0; i < count; ++i) {
        chosen_stage *stage = &stages[i];
        known = known || (!stage->has && !stage->broken) || has_kernel(stage, name);
        if (stage->has)
            fprintf(all.out, "%s%.*s", all.out && ftell(all.out) > 0 ? "," : "", (int)strlen(stage->has) - 2,
                    stage->has + 1);
        if (!has_kernel(stage, name))
            continue;
        char *longer = stage->kernels ? text_format("%s,%s", stage->kernels, name) : text_format("--kernel=%s", name);
        free(stage->kernels);
        stage->kernels = longer;
    }
    text_close(&all);
    if (!known && !explain_slash(stages, count, name, f))
        fault_set(f, "--kernel %.60s: no chosen stage has it; choose from %.500s", name, all.text);
    free(all.text);
    return known ? 0 : -1;
}

/* Each stage knows its own kernels only and would refuse the others' names. */
static int divide_kernels(const run_options *o, chosen_stage *stages, size_t count, fault *f) {
    char *asked = asked_kernels(o), *rest = NULL;
    int result = 0;
    for (size_t i = 0; asked && i < count; ++i)
        stages[i].has = stages[i].broken
                            ? NULL
                            : driver_kernels(o->context->bin, stages[i].name, o->context->device, &stages[i].configs);
    for (char *name = asked ? strtok_r(asked, ",", &rest) : NULL; name && result == 0;
         name = strtok_r(NULL, ",", &rest))
        result = give_kernel(stages, count, name, f);
    free(asked);
    return result;
}

/* The sustained protocol takes five seconds a row. The table needs it; what a variant shows, burst shows as well. */
static bool sustained_is_ours(const run_options *o) {
    return on_gpu(o) && !o->quick && !given(o, "protocol") && !given(o, "kernel");
}

/* "--sustained=a": the stage's kernels of the article's table; NULL where it has none, or does not say. Free it. */
static char *main_kernels(const run_options *o, const chosen_stage *stage) {
    char *rest = NULL;
    char *has = stage->broken ? NULL : driver_kernels(o->context->bin, stage->name, o->context->device, NULL);
    text_stream option;
    text_open(&option);
    for (char *name = has ? strtok_r(has, ",", &rest) : NULL; name; name = strtok_r(NULL, ",", &rest))
        if (article_has(stage->name, name))
            fprintf(option.out, "%s%s", ftell(option.out) > 0 ? "," : "--sustained=", name);
    text_close(&option);
    free(has);
    if (option.size > 0)
        return option.text;
    free(option.text);
    return NULL;
}

/* ---- The campaign -------------------------------------------------------------------------------------------------
 */

typedef struct campaign {
    record_list list;
    size_t refused, ran; /* driver calls */
    bool interrupted;
    text_stream counts; /* what the CPU device counted: the rows of a file of counts */
} campaign;

/* "stage,kernel,dtype,m,n,k," of a row, as its counts begin. */
static char *count_prefix(const gemm_record *row) {
    return text_format("%s,%s,%s,%lld,%lld,%lld,", row->stage, row->kernel, row->dtype, (long long)row->m,
                       (long long)row->n, (long long)row->k);
}

/* Whether an earlier row, from `first` on, is about the same kernel, type and shape: --size=64,64. */
static bool is_repeated(const record_list *list, size_t first, size_t row) {
    const gemm_record *a = &list->rows[row];
    for (size_t i = first; i < row; ++i) {
        const gemm_record *b = &list->rows[i];
        if (a->m == b->m && a->n == b->n && a->k == b->k && strcmp(a->kernel, b->kernel) == 0 &&
            strcmp(a->dtype, b->dtype) == 0)
            return true;
    }
    return false;
}

/* Counts of rows that did not pass mean nothing. */
static void keep_counts(campaign *c, size_t first_row, char *text) {
    for (size_t i = first_row; i < c->list.count; ++i) {
        if (strcmp(c->list.rows[i].status, "pass") != 0 || is_repeated(&c->list, first_row, i))
            continue;
        char *prefix = count_prefix(&c->list.rows[i]);
        const size_t length = strlen(prefix);
        for (const char *line = text; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
            if (strncmp(line, prefix, length) == 0)
                fprintf(c->counts.out, "%.*s\n", (int)strcspn(line, "\n"), line);
        free(prefix);
    }
}

static void take_counts(campaign *c, size_t first_row, const char *path) {
    fault ignored; /* without counts the checks still stand */
    char *text = file_exists(path) ? read_file(path, &ignored) : NULL;
    if (text)
        keep_counts(c, first_row, text);
    free(text);
    unlink(path);
}

/* A stage that has no kernel of the name asked for is left out; a refusal of our own defaults is a failure. */
static int note_refusal(const run_options *o, const char *name, campaign *c, fault *f) {
    ++c->refused;
    if (o->passed_count > 0) {
        printf("%s: left out: it did not accept these options\n", name);
        return 0;
    }
    return driver_add_failure(&c->list, name, "the driver refused its command line (exit status 2)", f);
}

static int run_driver(const run_options *o, const chosen_stage *stage, const char *scratch, campaign *c, fault *f) {
    const bool with_ragged = !on_gpu(o) && !o->quick && !shape_given(o);
    for (int ragged = 0; ragged <= with_ragged; ++ragged) {
        const bool counted = !on_gpu(o) && !ragged && !given(o, "repeat"); /* one run is counted */
        const size_t first_row = c->list.count;
        char *counts = text_format("%s/counts.csv", scratch), *option = text_format("--counts=%s", counts);
        const call told = make_call(o, stage, counted ? option : NULL, ragged);
        driver_outcome outcome = DRIVER_RAN;
        int result =
            driver_run(o->context->bin, stage->name, told.options, o->time_limit, scratch, &c->list, &outcome, f);
        if (counted)
            take_counts(c, first_row, counts);
        free(option);
        free(counts);
        c->interrupted = outcome == DRIVER_INTERRUPTED;
        if (outcome == DRIVER_RAN)
            ++c->ran;
        if (result == 0 && outcome == DRIVER_REFUSED)
            return note_refusal(o, stage->name, c, f); /* the second call would be refused as well */
        if (result != 0 || c->interrupted)
            return result;
    }
    return 0;
}

static int run_stage(const run_options *o, const chosen_stage *stage, const char *scratch, campaign *c, fault *f) {
    printf("\n%s\n", stage->name);
    if (stage->broken) {
        char *reason = text_format("does not compile, see %s", stage->broken);
        printf("%s: FAIL: %s\n", stage->name, reason);
        ++c->ran;
        const int result = driver_add_failure(&c->list, stage->name, reason, f);
        free(reason);
        return result;
    }
    if (stage->has && !stage->kernels) {
        ++c->refused;
        printf("%s: left out: it has no kernel of that name\n", stage->name);
        return 0;
    }
    return run_driver(o, stage, scratch, c, f);
}

static int run_stages(const run_options *o, const chosen_stage *stages, size_t count, campaign *c, fault *f) {
    char *scratch = make_temporary_directory(f);
    if (!scratch)
        return -1;
    int result = 0;
    for (size_t i = 0; i < count && result == 0 && !c->interrupted; ++i) {
        result = run_stage(o, &stages[i], scratch, c, f);
        c->interrupted = c->interrupted || stop_signal();
    }
    remove_directory(scratch);
    free(scratch);
    return result;
}

static chosen_stage choose_stage(const run_options *o, const char *name) {
    chosen_stage stage = {.name = name};
    const size_t length = strlen(name);
    for (size_t i = 0; i < o->broken_count; ++i)
        if (strncmp(o->broken[i], name, length) == 0 && o->broken[i][length] == '=')
            stage.broken = o->broken[i] + length + 1;
    return stage;
}

static bool is_chosen(const chosen_stage *chosen, size_t count, const char *name) {
    for (size_t i = 0; i < count; ++i)
        if (strcmp(chosen[i].name, name) == 0)
            return true;
    return false;
}

/* The stages named on the command line, each once, or all of them. */
static int choose_stages(const run_options *o, const driver_list *drivers, chosen_stage *chosen, size_t *count,
                         fault *f) {
    *count = 0;
    for (size_t i = 0; i < o->stage_count; ++i) {
        const char *name = drivers_match(drivers, o->stages[i], f);
        if (!name)
            return -1;
        if (!is_chosen(chosen, *count, name))
            chosen[(*count)++] = choose_stage(o, name);
    }
    for (size_t i = 0; o->stage_count == 0 && i < drivers->count; ++i)
        chosen[(*count)++] = choose_stage(o, drivers->names[i]);
    return 0;
}

/* ---- Results ------------------------------------------------------------------------------------------------------
 */

typedef struct places {
    char *csv; /* owned, as all of them */
    /* NULL with --out: an earlier run's, of another record, must not pass for this one's. */
    char *pictures, *table;
} places;

/* Where all goes that is no recorded campaign. Free it. */
static char *results_folder(const run_options *o) {
    return text_format("%s/build/%s/results", o->context->source, on_gpu(o) ? "gpu" : "cpu");
}

/* Two runs at once would replace each other's record, and each other's clocks on a GPU. The lock ends with this
 * process. Where a folder cannot be made or locked, the run goes on: it says later what it could not write. */
static int lock_results(const run_options *o, fault *f) {
    fault ignored;
    char *folder = results_folder(o);
    const int lock = make_directories(folder, &ignored) == 0 ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    const bool taken = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (taken)
        fault_set(f, "another ./ladder run will write to %s; start this one when that has ended", folder);
    free(folder);
    return taken ? -1 : 0;
}

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
    if (o->out) {
        p.csv = text_format("%s", o->out);
        return p;
    }
    if (default_campaign(o) && gpu[0] && count_status(list, "fail") == 0) {
        char *name = slug(gpu);
        p.csv = text_format("%s/plots/data/%s.csv", source, name);
        p.pictures = text_format("%s/plots/%s", source, name);
        free(name);
    } else {
        p.pictures = results_folder(o);
        p.csv = text_format("%s/%s.csv", p.pictures, on_gpu(o) ? "gpu" : "cpu");
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

/* A cube is asked about at the size of the article's table, whose measured figures then stand beside the model. */
static double model_scale(const count_list *counts) {
    enum { ARTICLE_SIZE = 4096 };
    for (size_t i = 0; i < counts->count; ++i)
        if (counts->rows[i].m != counts->rows[0].m || counts->rows[i].n != counts->rows[0].m ||
            counts->rows[i].k != counts->rows[0].m)
            return 1;
    const int64_t edge = counts->rows[0].m;
    return edge > 0 && edge < ARTICLE_SIZE ? (double)ARTICLE_SIZE / (double)edge : 1;
}

static void put_counts(const run_options *o, const count_list *counts, const record_list *recorded, report_style style,
                       FILE *out) {
    const char *heading = style.format == GRID_MARKDOWN ? "## " : "";
    fault ignored;
    const gpu_model *gpu = gpu_model_find("h200", &ignored);
    compiled_source compiled;
    compiled_open(&compiled, o->context, gpu);
    const count_question question = {gpu, model_scale(counts), &compiled, recorded};
    fprintf(out, "\n%sWhat was counted\n\n", heading);
    count_report_counts(counts, style.format, out);
    fprintf(out, "\n%sWhat binds on %s (model)\n\n", heading, gpu->title);
    count_report_limits(counts, &question, style.format, out);
    compiled_close(&compiled);
}

static void put_tables(const run_options *o, const record_list *list, const count_list *counts,
                       const record_list *recorded, report_style style, FILE *out) {
    const char *heading = style.format == GRID_MARKDOWN ? "## " : "";
    if (!on_gpu(o)) {
        fprintf(out, "%sChecks on the CPU device\n\n", heading);
        report_checks(list, style, out);
        if (counts->count > 0)
            put_counts(o, counts, recorded, style, out);
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

static int write_table(const run_options *o, const record_list *list, const count_list *counts,
                       const record_list *recorded, const char *path, fault *f) {
    text_stream s;
    text_open(&s);
    put_tables(o, list, counts, recorded, (report_style){GRID_MARKDOWN, LANG_EN}, s.out);
    text_close(&s);
    const int result = write_file(path, s.text, s.size, f);
    free(s.text);
    return result;
}

static int draw(const run_options *o, const record_list *list, const char *directory, fault *f) {
    const selection any = {0};
    if (on_gpu(o))
        return plot_speeds(o->context, list, any, directory, f);
    return plot_errors(o->context, list, directory, f); /* pictures of the recorded GPU are in plots/ already */
}

static char *rescue_into(const char *directory, const record_list *list) {
    fault ignored;
    char *path = directory && *directory ? make_temporary_file(directory, "rescued", ".csv") : NULL;
    if (path && record_write_csv(path, list, ignored.text, sizeof ignored.text) != 0) {
        unlink(path);
        free(path);
        path = NULL;
    }
    return path;
}

/* Hours of measuring must not be lost to a full disk, a wrong path or an interrupt: the rows go to a new file, where
 * one can be made, or to standard output. Returns the words that say where they are; free them. */
static char *rescue(const run_options *o, const record_list *list) {
    fault ignored;
    char *results = results_folder(o);
    make_directories(results, &ignored);
    const char *const places[] = {results, getenv("TMPDIR"), "/tmp", o->context->source};
    char *path = NULL;
    for (size_t i = 0; i < sizeof places / sizeof places[0] && !path; ++i)
        path = rescue_into(places[i], list);
    if (!path)
        record_print_csv(stdout, list);
    char *where = path ? text_format("in %s", path) : text_format("printed above; no file could be written");
    free(path);
    free(results);
    return where;
}

/* Writes the record, making its directory. Returns 0, or -1 with a sentence that says where the rows are instead. */
static int write_record(const run_options *o, const char *path, const record_list *list, fault *f) {
    char *directory = text_format("%s", path), *slash = strrchr(directory, '/');
    if (slash && slash != directory)
        *slash = '\0';
    const int made = slash ? make_directories(directory, f) : 0;
    free(directory);
    if (made == 0 && record_write_csv(path, list, f->text, sizeof f->text) == 0)
        return 0;
    char *why = text_format("%s", f->text), *where = rescue(o, list);
    fault_set(f, "%.300s; the rows are %.400s", why, where);
    free(why);
    free(where);
    return -1;
}

/* What --out names is replaced whole: only a record may be, and an hour of measuring is too late to find that it cannot
 * be written. */
static int check_out(const char *path, fault *f) {
    struct stat status;
    if (check_writable("--out", path, f) != 0)
        return -1;
    fault why;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
        record_check_header(path, why.text, sizeof why.text) != 0)
        return fault_set(f, "--out would replace %.300s, which is no record file; give a new name", path);
    return 0;
}

/* Writes what was counted into the directory. */
static int write_counts(const campaign *c, const char *directory, fault *f) {
    if (c->counts.size == 0)
        return 0;
    char *path = text_format("%s/counts.csv", directory), *text = text_format(COUNTS_HEADER "\n%s", c->counts.text);
    const int result = write_file(path, text, strlen(text), f);
    free(text);
    free(path);
    return result;
}

/* What was counted, for the tables, which do without where this fails. */
static void read_counts(const campaign *c, count_list *counts) {
    fault ignored;
    char *directory = c->counts.size > 0 ? make_temporary_directory(&ignored) : NULL;
    char *path = directory ? text_format("%s/counts.csv", directory) : NULL;
    if (directory && write_counts(c, directory, &ignored) == 0)
        counts_read(path, counts, &ignored);
    if (directory)
        remove_directory(directory);
    free(path);
    free(directory);
}

/* Of an earlier run, which may have been another one: they would pass for this one's. */
static void remove_results(const run_options *o, const places *p) {
    char *counts = text_format("%s/counts.csv", p->pictures), *folder = results_folder(o);
    if (strcmp(folder, p->pictures) == 0) {
        plot_remove(p->pictures);
        unlink(p->table);
        if (!on_gpu(o)) /* where it is ./ladder profile's */
            unlink(counts);
    }
    free(folder);
    free(counts);
}

/* The files beside the record. */
static int write_pictures(const run_options *o, const campaign *c, const count_list *counts,
                          const record_list *recorded, const places *p, fault *f) {
    remove_results(o, p);
    int result = make_directories(p->pictures, f);
    if (result == 0)
        result = write_counts(c, p->pictures, f);
    if (result == 0)
        result = write_table(o, &c->list, counts, recorded, p->table, f);
    if (result == 0)
        result = draw(o, &c->list, p->pictures, f);
    if (result == 0 && counts->count > 0)
        result = plot_counts(o->context, counts, p->pictures, f);
    return result;
}

/* The record comes first: whatever happens to a table or a picture, the measured rows are safe. */
static int write_results(const run_options *o, campaign *c, const record_list *recorded, fault *f) {
    count_list counts = {0};
    places p = choose_places(o, &c->list);
    int result = write_record(o, p.csv, &c->list, f);
    stops_release(); /* held since before the first driver */
    if (result == 0) {
        read_counts(c, &counts);
        putchar('\n');
        put_tables(o, &c->list, &counts, recorded, (report_style){GRID_TEXT, LANG_EN}, stdout);
        putchar('\n');
        if (p.pictures)
            result = write_pictures(o, c, &counts, recorded, &p, f);
        printf("record: %s\n", p.csv);
        if (p.pictures && result == 0)
            printf("table: %s\n", p.table);
    }
    counts_free(&counts);
    free_places(&p);
    return result;
}

static int publish(const run_options *o, campaign *c, fault *f) {
    record_fill_speedups(&c->list);
    record_list recorded = {0};
    char *path = text_format("%s/plots/data/nvidia-h200.csv", o->context->source);
    fault unreadable = {{0}};
    const bool whole = o->passed_count == 0 && o->stage_count == 0; /* who asked for a part wants to see that part */
    if (!on_gpu(o) && whole && file_exists(path) && load_record(path, &recorded, &unreadable) != 0)
        printf("The recorded figures are left out: %s\n", unreadable.text);
    const int result = write_results(o, c, &recorded, f);
    record_list_free(&recorded);
    free(path);
    return result;
}

/* By the exit status that shells give to a signal. */
static int finish_interrupted(const run_options *o, campaign *c, fault *f) {
    if (c->list.count == 0) {
        fault_set(f, "interrupted; no file was changed");
    } else {
        record_fill_speedups(&c->list);
        char *where = rescue(o, &c->list);
        fault_set(f, "interrupted; the %zu row%s so far %s %.600s", c->list.count, c->list.count == 1 ? "" : "s",
                  c->list.count == 1 ? "is" : "are", where);
        free(where);
    }
    return stop_signal() ? EXIT_SIGNAL + stop_signal() : EXIT_INTERRUPTED;
}

static int finish(const run_options *o, campaign *c, double begin, fault *f) {
    if (c->interrupted)
        return finish_interrupted(o, c, f);
    if (c->ran == 0)
        return fault_set(f, "no stage accepted these options (see above); no file was changed"), EXIT_USAGE;
    if (publish(o, c, f) != 0)
        return EXIT_WORK;
    const size_t failed = count_status(&c->list, "fail");
    printf("%zu row%s: %zu passed, %zu failed, %zu skipped; %.1f s\n", c->list.count, c->list.count == 1 ? "" : "s",
           count_status(&c->list, "pass"), failed, count_status(&c->list, "skip"), seconds_now() - begin);
    return failed ? EXIT_WORK : 0;
}

/* Everything that can be known to be wrong is refused before the first driver runs. */
static int prepare(const run_options *o, const driver_list *drivers, chosen_stage *chosen, size_t *count, fault *f) {
    char *style = text_format("%s/plots/style.gp", o->context->source);
    int result =
        file_exists(style) ? 0 : fault_set(f, "%s is no gemm-ladder: it has no plots/style.gp", o->context->source);
    free(style);
    if (result == 0 && o->out)
        result = check_out(o->out, f);
    if (result == 0)
        result = choose_stages(o, drivers, chosen, count, f);
    if (result == 0)
        result = divide_kernels(o, chosen, *count, f);
    if (result == 0 && sustained_is_ours(o))
        for (size_t i = 0; i < *count; ++i)
            chosen[i].sustained = main_kernels(o, &chosen[i]);
    return result;
}

static int run_chosen(const run_options *o, const driver_list *drivers, chosen_stage *chosen, double begin, fault *f) {
    size_t count = 0;
    campaign c = {{0}, 0, 0, false, {0}};
    text_open(&c.counts);
    int status = EXIT_USAGE;
    stops_hold(); /* until the rows are safe */
    if (prepare(o, drivers, chosen, &count, f) == 0) {
        const int ran = lock_results(o, f) == 0 ? run_stages(o, chosen, count, &c, f) : -1;
        text_close(&c.counts);
        status = ran == 0 ? finish(o, &c, begin, f) : EXIT_WORK;
    } else {
        text_close(&c.counts);
    }
    for (size_t i = 0; i < count; ++i) {
        free(chosen[i].has);
        free(chosen[i].configs);
        free(chosen[i].kernels);
        free(chosen[i].sustained);
    }
    record_list_free(&c.list);
    free(c.counts.text);
    return status;
}

static int run_campaign(const run_options *o, fault *f) {
    const double begin = seconds_now();
    signal(SIGPIPE, SIG_IGN); /* a reader who went away (| head) must not cost the rows */
    driver_list drivers;
    int result = drivers_find(o->context->bin, &drivers, f);
    for (size_t i = 0; i < o->broken_count && result == 0; ++i) {
        char *name = text_format("%.*s", (int)strcspn(o->broken[i], "="), o->broken[i]);
        result = drivers_add(&drivers, name, f);
        free(name);
    }
    chosen_stage *chosen = result == 0 ? calloc(drivers.count + o->stage_count, sizeof *chosen) : NULL;
    const int status = chosen ? run_chosen(o, &drivers, chosen, begin, f) : EXIT_WORK;
    free(chosen);
    drivers_free(&drivers);
    return status;
}

int command_run(tool_context *context, int argc, char **argv, fault *f) {
    run_options o = {.context = context, .f = f};
    o.stages = calloc((size_t)argc + 1, sizeof *o.stages);
    o.broken = calloc((size_t)argc + 1, sizeof *o.broken);
    int status = EXIT_USAGE;
    if (o.stages && o.broken && argp_parse(&run_argp, argc, argv, 0, NULL, &o) == 0) {
        if (!(o.time_limit > 0))
            o.time_limit = on_gpu(&o) ? 1800 : 600;
        if (o.only_targets)
            status = o.out && check_out(o.out, f) != 0 ? EXIT_USAGE
                                                       : stages_print(context->source, o.stages, o.stage_count, f);
        else
            status = run_campaign(&o, f);
    }
    for (size_t i = 0; i < o.passed_count; ++i)
        free(o.passed[i]);
    free(o.broken);
    free(o.stages);
    return status;
}

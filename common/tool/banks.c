/* ladder banks: which lane of a warp hits which bank of shared memory, for an access of a stage or a typed formula. */
#include "bank_accesses.h"
#include "bank_svg.h"
#include "bank_text.h"
#include "drivers.h"
#include "files.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CONSTANTS = 32, MAX_FORMULA = 400, MAX_ALL_CONSTANTS = MAX_CONSTANTS + 16 };

typedef struct bank_options {
    tool_context *context;
    const char *stage, *name, *kernel, *svg;
    bank_access typed;       /* what --index and its companions say */
    const char *index_only;  /* the last option given that goes with --index alone */
    unsigned element, bytes; /* 0: not given */
    unsigned warp;
    formula_name constants[MAX_CONSTANTS]; /* names are owned */
    size_t constant_count;
    fault *f;
} bank_options;

/* ---- Values of options --------------------------------------------------------------------------------------------
 */

/* A whole number without sign, with nothing after it but `end`; NULL when it is none, else what follows. */
static const char *read_unsigned(const char *text, char end, unsigned *value) {
    char *after;
    const unsigned long number = isdigit((unsigned char)*text) ? strtoul(text, &after, 10) : 0;
    if (!isdigit((unsigned char)*text) || *after != end)
        return NULL;
    *value = number > MAX_THREADS ? MAX_THREADS + 1 : (unsigned)number; /* more than any limit here */
    return after;
}

/* A power of two from 1 to `most`. */
static error_t parse_power(const char *flag, const char *text, unsigned most, unsigned *value, fault *f) {
    const bool good = read_unsigned(text, '\0', value) && *value > 0 && *value <= most && !(*value & (*value - 1));
    if (good)
        return 0;
    return fault_set(f, "%s %.60s: choose from 1, 2, 4%s", flag, text, most > 4 ? ", 8, 16" : ""), EINVAL;
}

static error_t parse_warp(bank_options *o, const char *text) {
    if (read_unsigned(text, '\0', &o->warp) && o->warp < MAX_THREADS / COST_LANES)
        return 0;
    return fault_set(o->f, "--warp %.60s: choose from 0 to 31; a block has at most 1024 threads, 32 warps", text),
           EINVAL;
}

static error_t parse_block(bank_options *o, const char *text) {
    unsigned x, y;
    const char *comma = read_unsigned(text, ',', &x);
    if (comma && read_unsigned(comma + 1, '\0', &y) && x > 0 && y > 0 && x * y <= MAX_THREADS) {
        o->typed.block_x = x;
        o->typed.block_y = y;
        return 0;
    }
    return fault_set(o->f, "--block %.60s: give its threads as X,Y, at most 1024 together, as in --block 16,16", text),
           EINVAL;
}

static error_t parse_formula(bank_options *o, const char *flag, const char *text, const char **formula) {
    *formula = text;
    if (strlen(text) <= MAX_FORMULA)
        return 0;
    return fault_set(o->f, "%s: the formula is longer than %d characters; name its parts with -D", flag, MAX_FORMULA),
           EINVAL;
}

static const formula_name *find_constant(const formula_name *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; ++i)
        if (strcmp(names[i].name, name) == 0)
            return &names[i];
    return NULL;
}

/* NAME=value; the value may use the constants before it. */
static error_t parse_constant(bank_options *o, const char *text) {
    const size_t length = strcspn(text, "=");
    if (text[length] != '=' || !formula_is_name(text, length) || length > 40)
        return fault_set(o->f, "--define %.60s: give NAME=value, as in -D PAD=4", text), EINVAL;
    if (o->constant_count == MAX_CONSTANTS)
        return fault_set(o->f, "--define %.60s: at most %d constants; leave one out", text, MAX_CONSTANTS), EINVAL;
    char *name = text_format("%.*s", (int)length, text), *flag = text_format("--define %s", name);
    const formula_scope scope = {o->constants, o->constant_count};
    int64_t value = 0;
    int result = 0;
    if (bank_name_is_taken(name))
        result = fault_set(o->f, "%s: t, lane, warp, tx and ty are the thread's own; choose another name", flag);
    else if (find_constant(o->constants, o->constant_count, name))
        result = fault_set(o->f, "%s is given twice; give it once", flag);
    else
        result = formula_evaluate(text + length + 1, &scope, flag, &value, o->f);
    free(flag);
    if (result == 0)
        o->constants[o->constant_count++] = (formula_name){name, value};
    else
        free(name);
    return result == 0 ? 0 : EINVAL;
}

/* ---- The command line ---------------------------------------------------------------------------------------------
 */

static const struct argp_option options[] = {
    {"index", 'i', "FORMULA", 0, "Element at which the access of thread t starts, instead of a stage's access", 1},
    {"define", 'D', "NAME=VALUE", 0,
     "A constant of the formulas; for a stage's access, another value for one of its own", 1},
    {"warp", 'w', "N", 0, "Which warp of the block (default 0)", 1},
    {"svg", 's', "FILE", 0, "Write the picture as SVG too", 1},
    {"kernel", 'k', "NAME", 0, "Which kernel of the stage (default: the first that has such an access)", 2},
    {"bytes", 'b', "1|2|4|8|16", 0, "What each lane moves (default 4; 16 for ldmatrix)", 3},
    {"element", 'e', "1|2|4|8|16", 0, "Bytes of an element (default 4)", 3},
    {"block", 'x', "X,Y", 0, "The block's threads; the formula may then use tx and ty (default 1024 in a row)", 3},
    {"active", 'a', "FORMULA", 0, "Lanes for which it is not 0 take part (default: all)", 3},
    {"matrices", 'm', "1|2|4", 0, "ldmatrix: lanes 0 to 7 give the rows of the first matrix, and so on", 3},
    {0},
};

static error_t parse_argument(bank_options *o, const char *text) {
    if (o->name)
        return fault_set(o->f, "%.60s: one stage and one access at a time, as in ./ladder banks 04 store_A", text),
               EINVAL;
    *(o->stage ? &o->name : &o->stage) = text;
    return 0;
}

static error_t check_together(bank_options *o) {
    fault *f = o->f;
    if (!o->typed.index && !o->stage)
        return fault_set(f, "name a stage, as in ./ladder banks 04, or give --index, as in --index 't*36'"), EINVAL;
    if (o->typed.index && (o->stage || o->kernel))
        return fault_set(f, "--index stands for a stage's access; leave out %s %.60s",
                         o->stage ? "the stage" : "--kernel", o->stage ? o->stage : o->kernel),
               EINVAL;
    if (!o->typed.index && o->index_only)
        return fault_set(f, "%s goes with --index; a stage's access has its own", o->index_only), EINVAL;
    if (o->typed.matrices && o->typed.active)
        return fault_set(f, "--active does not go with --matrices: every lane takes part in ldmatrix"), EINVAL;
    if (o->typed.matrices && o->bytes && o->bytes != 16)
        return fault_set(f, "--bytes %u does not go with --matrices: a row of ldmatrix has 16 bytes", o->bytes), EINVAL;
    if (!o->name && o->stage && o->svg)
        return fault_set(f, "--svg draws one access; name it, as in ./ladder banks 04 store_A"), EINVAL;
    return 0;
}

static error_t parse_index_companion(bank_options *o, int key, const char *argument) {
    switch (key) {
    case 'b':
        o->index_only = "--bytes";
        return parse_power("--bytes", argument, 16, &o->bytes, o->f);
    case 'e':
        o->index_only = "--element";
        return parse_power("--element", argument, 16, &o->element, o->f);
    case 'x':
        o->index_only = "--block";
        return parse_block(o, argument);
    case 'a':
        o->index_only = "--active";
        return parse_formula(o, "--active", argument, &o->typed.active);
    case 'm':
        o->index_only = "--matrices";
        return parse_power("--matrices", argument, 4, &o->typed.matrices, o->f);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
    bank_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o->context;
        return 0;
    case 'i':
        return parse_formula(o, "--index", argument, &o->typed.index);
    case 'D':
        return parse_constant(o, argument);
    case 'w':
        return parse_warp(o, argument);
    case 's':
        o->svg = argument;
        return 0;
    case 'k':
        o->kernel = argument;
        return 0;
    case ARGP_KEY_ARG:
        return parse_argument(o, argument);
    case ARGP_KEY_END:
        return check_together(o);
    default:
        return parse_index_companion(o, key, argument);
    }
}

static const struct argp_child children[] = {{&context_argp, 0, NULL, 0}, {0}};

static const struct argp banks_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "STAGE [ACCESS]\n--index FORMULA",
    .doc = "Draws which lane of a warp hits which of the 32 banks of shared memory, and counts wavefronts.\v"
           "A stage alone lists its accesses: ./ladder banks 04. With a name one is drawn: ./ladder banks 04 store_A; "
           "-D PAD=8 asks what another padding would do. A formula is a C expression over integers, in elements: "
           "--index 't*36' --bytes 16. It may name t, the thread of the block, lane, warp, constants of -D, and with "
           "--block tx and ty; operators are + - * / % & | ^ << >> ~ ! && || ?: and comparisons.",
    .children = children,
};

/* ---- Drawing ------------------------------------------------------------------------------------------------------
 */

/* "PAD=4, i=0": the constants that the access names; the caller frees it. */
static char *describe_constants(const bank_access *a) {
    text_stream text;
    text_open(&text);
    for (size_t i = 0; i < a->constant_count; ++i) {
        const formula_name *c = &a->constants[i];
        if (formula_mentions(a->index, c->name) && find_constant(a->constants, i, c->name) == NULL)
            fprintf(text.out, "%s%s=%lld", ftell(text.out) > 0 ? ", " : "", c->name, (long long)c->value);
    }
    text_close(&text);
    return text.text;
}

/* "16 bytes a lane, warp 0; PAD=4, i=0"; the caller frees it. */
static char *describe_setting(const bank_access *a, unsigned warp) {
    char *constants = describe_constants(a);
    text_stream text;
    text_open(&text);
    fprintf(text.out, "%u byte%s a lane", a->bytes, a->bytes == 1 ? "" : "s");
    if (a->element != 4)
        fprintf(text.out, ", elements of %u", a->element);
    fprintf(text.out, ", warp %u%s", warp, a->matrices ? ", ldmatrix" : a->copied_from ? ", cp.async" : "");
    if (a->active)
        fprintf(text.out, ", lanes with %s", a->active);
    fprintf(text.out, "%s%s", *constants ? "; " : "", constants);
    text_close(&text);
    free(constants);
    return text.text;
}

static void print_line(const char *text) {
    if (text)
        printf("%s\n", text);
}

static void print_picture(const bank_picture *p, const bank_access *a) {
    const char *no_color = getenv("NO_COLOR"); /* https://no-color.org: set and not empty */
    char *counts = bank_counts(p), *fullest = bank_fullest(p), *sharing = bank_sharing(p, a->store);
    bank_print(p, isatty(STDOUT_FILENO) && !(no_color && *no_color), stdout);
    print_line(counts);
    print_line(fullest);
    print_line(sharing);
    free(counts);
    free(fullest);
    free(sharing);
}

/* What stands above a picture: a title, the formula where the title is not one, what to see (NULL: left to the reader).
 */
typedef struct heading {
    char *title, *formula;
    const char *see;
} heading;

static int write_svg(const bank_options *o, const bank_picture *p, const bank_access *a, const heading *h,
                     const char *setting) {
    char *svg = bank_svg(p, h->title, h->formula, setting, a->store);
    const int result = write_file(o->svg, svg, strlen(svg), o->f);
    free(svg);
    return result == 0 ? 0 : EXIT_WORK;
}

/* `flag` is what the user gave to say the index. */
static int show(const bank_options *o, const bank_access *a, const char *flag, const heading *h) {
    bank_picture picture;
    if (bank_draw(a, o->warp, flag, &picture, o->f) != 0 || (o->svg && bank_svg_check(o->svg, o->f) != 0))
        return EXIT_USAGE;
    char *setting = describe_setting(a, o->warp);
    const int status = o->svg ? write_svg(o, &picture, a, h, setting) : 0;
    if (status == 0) {
        printf("%s%s%s\n", h->title, h->see ? ": " : "", h->see ? h->see : "");
        print_line(h->formula);
        printf("%s\n\n", setting);
        print_picture(&picture, a);
        if (o->svg)
            printf("picture: %s\n", o->svg);
    }
    free(setting);
    return status;
}

static int check_warp(const bank_options *o, const bank_access *a) {
    const unsigned threads = a->block_x * (a->block_y ? a->block_y : 1);
    const unsigned warps = (threads + COST_LANES - 1) / COST_LANES;
    if (o->warp >= warps)
        return fault_set(o->f, "--warp %u: the block has %u threads, so choose from 0 to %u", o->warp, threads,
                         warps - 1);
    if (a->matrices && (o->warp + 1) * COST_LANES > threads)
        return fault_set(o->f,
                         "--matrices: warp %u of a block of %u threads is not whole, and ldmatrix needs all lanes",
                         o->warp, threads);
    return 0;
}

static int show_typed(bank_options *o) {
    bank_access a = o->typed;
    a.element = o->element ? o->element : 4;
    a.bytes = a.matrices ? 16 : o->bytes ? o->bytes : 4;
    a.block_x = a.block_x ? a.block_x : MAX_THREADS;
    a.constants = o->constants;
    a.constant_count = o->constant_count;
    if (check_warp(o, &a) != 0)
        return EXIT_USAGE;
    char *title = text_format("index %s", a.index);
    const int status = show(o, &a, "--index", &(heading){.title = title});
    free(title);
    return status;
}

/* ---- A stage's accesses -------------------------------------------------------------------------------------------
 */

/* "2", "02" or "02_tiling" to the stage's name in the table; NULL with a sentence. */
static const char *find_stage(const char *stage, fault *f) {
    driver_list stages = {calloc(stage_access_count, sizeof *stages.names), 0};
    text_stream known;
    text_open(&known);
    for (size_t i = 0; stages.names && i < stage_access_count; ++i) {
        if (i > 0 && strcmp(stage_accesses[i].stage, stage_accesses[i - 1].stage) == 0)
            continue;
        stages.names[stages.count++] = (char *)stage_accesses[i].stage;
        fprintf(known.out, "%s%s", i ? ", " : "", stage_accesses[i].stage);
    }
    text_close(&known);
    const char *found = drivers_match(&stages, stage, f);
    if (!found)
        fault_set(f, "%.60s: no access to shared memory is listed for it; choose from %.500s", stage, known.text);
    free(known.text);
    free(stages.names);
    return found;
}

static bool chosen(const bank_options *o, const stage_access *s, const char *stage) {
    return strcmp(s->stage, stage) == 0 && (!o->kernel || strcmp(s->kernel, o->kernel) == 0) &&
           (!o->name || strcmp(s->name, o->name) == 0);
}

/* The access with the user's constants before its own. `all` has room for MAX_ALL_CONSTANTS. */
static bank_access with_constants(const bank_options *o, const stage_access *s, formula_name *all) {
    bank_access a = s->access;
    for (size_t i = 0; i < o->constant_count; ++i)
        all[a.constant_count++] = o->constants[i];
    for (const formula_name *c = s->access.constants; c->name; ++c)
        all[a.constant_count++] = *c;
    a.constants = all;
    return a;
}

/* A constant that changes nothing is a slip of the pen. */
static int check_constants(const bank_options *o, const stage_access *s) {
    for (size_t i = 0; i < o->constant_count; ++i)
        if (!access_mentions(&s->access, o->constants[i].name))
            return fault_set(o->f, "--define %s: the index of %s is %s, without it", o->constants[i].name, s->name,
                             s->access.index);
    return 0;
}

static int show_access(const bank_options *o, const stage_access *s) {
    formula_name all[MAX_ALL_CONSTANTS];
    const bank_access a = with_constants(o, s, all);
    if (check_constants(o, s) != 0 || check_warp(o, &a) != 0)
        return EXIT_USAGE;
    char *title = text_format("%.2s %s %s %s", s->stage, s->kernel, s->name, s->source);
    char *formula = text_format("index %s", a.index);
    /* what is to see is said of the kernel's own constants */
    const int status = show(o, &a, s->name, &(heading){title, formula, o->constant_count > 0 ? NULL : s->see});
    free(title);
    free(formula);
    return status;
}

/* Of the column of kernels. */
static int kernel_width(const bank_options *o, const char *stage) {
    size_t width = 8;
    for (size_t i = 0; i < stage_access_count; ++i)
        if (chosen(o, &stage_accesses[i], stage) && strlen(stage_accesses[i].kernel) > width)
            width = strlen(stage_accesses[i].kernel);
    return (int)width;
}

static int list_access(const bank_options *o, const stage_access *s, int width) {
    formula_name all[MAX_ALL_CONSTANTS];
    const bank_access a = with_constants(o, s, all);
    bank_picture p;
    if (bank_draw(&a, o->warp, s->name, &p, o->f) != 0)
        return -1;
    printf("%-*s  %-7s  %-32s  %5u %10u %5u  %s\n", width, s->kernel, s->name, s->source, a.bytes, p.cost.wavefronts,
           p.cost.conflict_free, s->see);
    return 0;
}

static int list_stage(const bank_options *o, const char *stage) {
    if (o->constant_count > 0)
        return fault_set(o->f, "--define %s: name the access that it is for", o->constants[0].name), EXIT_USAGE;
    size_t count = 0;
    const int width = kernel_width(o, stage);
    for (size_t i = 0; i < stage_access_count; ++i) {
        if (!chosen(o, &stage_accesses[i], stage))
            continue;
        if (check_warp(o, &stage_accesses[i].access) != 0)
            return EXIT_USAGE;
        if (count++ == 0)
            printf("%-*s  %-7s  %-32s  %5s %10s %5s\n", width, "kernel", "access", "in kernel.cu", "bytes",
                   "wavefronts", "least");
        if (list_access(o, &stage_accesses[i], width) != 0)
            return EXIT_USAGE;
    }
    if (count == 0)
        return fault_set(o->f, "--kernel %.60s: none is listed for %s; ./ladder banks %.2s lists all", o->kernel, stage,
                         stage),
               EXIT_USAGE;
    printf("\nbytes: of a lane; wavefronts: of a request of warp %u; least: without conflicts, and of cp.async in "
           "whole lines\n"
           "./ladder banks %.2s NAME [--kernel KERNEL] draws one\n",
           o->warp, stage);
    return 0;
}

static int show_stage(const bank_options *o) {
    const char *stage = find_stage(o->stage, o->f);
    if (!stage)
        return EXIT_USAGE;
    if (!o->name)
        return list_stage(o, stage);
    for (size_t i = 0; i < stage_access_count; ++i)
        if (chosen(o, &stage_accesses[i], stage))
            return show_access(o, &stage_accesses[i]);
    return fault_set(o->f, "%.60s%s%.60s: %s has no such access; ./ladder banks %.2s lists them", o->name,
                     o->kernel ? " --kernel " : "", o->kernel ? o->kernel : "", stage, stage),
           EXIT_USAGE;
}

int command_banks(tool_context *context, int argc, char **argv, fault *f) {
    bank_options o = {.context = context, .f = f};
    int status = EXIT_USAGE;
    if (argp_parse(&banks_argp, argc, argv, 0, NULL, &o) == 0)
        status = o.stage ? show_stage(&o) : show_typed(&o);
    for (size_t i = 0; i < o.constant_count; ++i)
        free((char *)o.constants[i].name);
    return status;
}

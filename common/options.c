#define _GNU_SOURCE /* asprintf, program_invocation_short_name */

#include "options.h"

#include "number.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    KEY_N = 256, /* beyond every character: long options only */
    KEY_K,
    KEY_M,
    KEY_SIZE,
    KEY_ALPHA,
    KEY_BETA,
    KEY_LDA,
    KEY_LDB,
    KEY_LDC,
    KEY_DTYPE,
    KEY_DEFAULT_DTYPE,
    KEY_KERNEL,
    KEY_CONFIG,
    KEY_LIST,
    KEY_INIT,
    KEY_SEED,
    KEY_POKE,
    KEY_CHECK,
    KEY_PROTOCOL,
    KEY_SUSTAINED,
    KEY_WARMUP,
    KEY_SAMPLES,
    KEY_REPEAT,
    KEY_CSV,
    KEY_JSON,
    KEY_COUNTS,
    KEY_SANITIZE,
    KEY_FINDINGS,
    KEY_DEVICE
};

static const int64_t MAX_EDGE = INT32_MAX - 255; /* kernels take M, N, K as int, and count up to a tile beyond */
static const int64_t MAX_LD =
    INT64_C(1) << 40; /* keeps rows * ld * size inside 64 bits for any M that fits in memory */

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "The problem, C = alpha*A*B + beta*C with A of MxK, B of KxN, C of MxN, row-major:", 1},
    {"size", KEY_SIZE, "N[,N...]", 0,
     "Cubes, M = N = K (default 256 on the CPU device, 1024 on a GPU), or MxNxK, such as 128x2112x7168", 1},
    {"m", KEY_M, "M", 0, "Rows of A and C, 0 to 2147483392", 1},
    {"n", KEY_N, "N", 0, "Columns of B and C", 1},
    {"k", KEY_K, "K", 0, "Columns of A, rows of B", 1},
    {"alpha", KEY_ALPHA, "X", 0, "Default 1. With 0, A and B are not read", 1},
    {"beta", KEY_BETA, "X", 0, "Default 0. With 0, C is not read: it holds NaN before the run", 1},
    {"lda", KEY_LDA, "LD", 0, "Leading dimension of A in elements, at least K (default K)", 1},
    {"ldb", KEY_LDB, "LD", 0, "... of B, at least N", 1},
    {"ldc", KEY_LDC, "LD", 0, "... of C, at least N", 1},
    {"dtype", KEY_DTYPE, "TYPE[,...]", 0,
     "Element types: f32, f16, bf16, tf32, which is float of which tensor cores read 10 bits of the fraction (default: "
     "the first of these that the first kernel has); sums are float, unless the kernel is about sums in half",
     1},
    {"default-dtype", KEY_DEFAULT_DTYPE, "TYPE[,...]", 0,
     "What --dtype is when it is not given: each kernel runs in those of them that it has, and one that is named and "
     "has none of them in its own type",
     1},
    {NULL, 0, NULL, 0, "The data:", 2},
    {"init", KEY_INIT, "KIND", 0,
     "normal (default), uniform in [-1,1), integers -4..4, index (position coded), ones, zeros", 2},
    {"seed", KEY_SEED, "S", 0, "Of the random numbers (default 1)", 2},
    {"poke", KEY_POKE, "MATRIX:ROW:COL:VALUE", 0, "Set one element of A, B or C, e.g. A:64:32:nan; repeatable", 2},
    {NULL, 0, NULL, 0, "What to run:", 3},
    {"kernel", KEY_KERNEL, "NAME[,NAME...]", 0,
     "Variants of this stage (default all; those without the type are then left out)", 3},
    {"config", KEY_CONFIG, "NAME[,NAME...]", 0,
     "Configurations of the variants that have some, as --list names them behind the slash; all; or first, the one for "
     "large problems, whose rows have no slash (default: the kernel chooses one for the problem; on the CPU device the "
     "first)",
     3},
    {"list", KEY_LIST, NULL, 0,
     "Show the variants and their configurations, of those that --kernel, --dtype and --config choose, with registers, "
     "shared memory and occupancy on a GPU, and stop",
     3},
    {"device", KEY_DEVICE, "cpu|gpu|auto", 0, "Insist on a device; a driver is built for one (default auto: that one)",
     3},
    {"check", KEY_CHECK, "full|sampled|none", 0,
     "Compare all of C with the float64 oracle, or some rows and a product check "
     "over the rest (default: full where that takes about a second)",
     3},
    {"protocol", KEY_PROTOCOL, "burst|sustained|both|none", 0,
     "How to time on a GPU (default burst). The CPU device times nothing", 3},
    {"sustained", KEY_SUSTAINED, "NAME[,NAME...]", 0,
     "With --protocol both: time only these variants sustained, too, which takes seconds a row (default all)", 3},
    {"warmup", KEY_WARMUP, "COUNT", 0, "Launches before timing, at least 1 (default 3)", 3},
    {"samples", KEY_SAMPLES, "COUNT", 0, "Timed groups of launches, at least 1 (default 10)", 3},
    {"repeat", KEY_REPEAT, "TIMES", 0,
     "Run each kernel so many times on the same problem, 1 to 1000000: its result must have the same bits each time. "
     "The row then shows a hash of them, which is the same for equal results of any stage",
     3},
    {"sanitize", KEY_SANITIZE, NULL, 0,
     "CPU device: look for races, accesses outside arrays and matrices, reads of what nothing wrote, barriers that not "
     "all threads reach, and tell of each; a kernel with such a mistake is a FAIL",
     3},
    {NULL, 0, NULL, 0, "Records:", 4},
    {"csv", KEY_CSV, "FILE", 0, "Append the rows to a record file", 4},
    {"json", KEY_JSON, "FILE", 0, "Write the rows as JSON", 4},
    {"counts", KEY_COUNTS, "FILE", 0,
     "CPU device: count memory requests, wavefronts, sectors and operations by source line, and write them as CSV", 4},
    {"findings", KEY_FINDINGS, "FILE", 0, "As --sanitize, and write what is found as CSV", 4},
    {NULL, 0, NULL, 0, "", 5},
    {0}};

static _Noreturn void bad(const char *format, const char *flag, const char *value, const char *more) {
    fprintf(stderr, "%s: --%s: ", program_invocation_short_name, flag);
    fprintf(stderr, format, value, more);
    fputs("\n", stderr);
    exit(2);
}

/* A whole number and nothing else: no blanks, no sign but '-', no exponent, no trailing text. */
static int64_t parse_integer(const char *flag, const char *text, int64_t low, int64_t high) {
    char *end;
    char limits[80];
    snprintf(limits, sizeof limits, "%lld to %lld", (long long)low, (long long)high);
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || !isdigit((unsigned char)text[text[0] == '-']))
        bad("'%s' is not a whole number; give one from %s", flag, text, limits);
    if (errno == ERANGE || value < low || value > high)
        bad("%s is out of range; give a whole number from %s", flag, text, limits);
    return value;
}

static double parse_real(const char *flag, const char *text, int finite) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0')
        bad("'%s' is not a number%s", flag, text, "");
    if (finite && !(fabs(value) <= FLT_MAX))
        bad("%s is not a finite float%s", flag, text, "; scalars are float, at most 3.4e38 in size");
    return value;
}

static int parse_choice(const char *flag, const char *text, const char *const *names, int count) {
    char known[160] = "";
    for (int i = 0; i < count; i++) {
        if (strcmp(text, names[i]) == 0)
            return i;
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", names[i]);
    }
    bad("unknown value '%s'; choose one of: %s", flag, text, known);
}

/* Calls `item` for each part of a comma-separated list. */
static void each(const char *flag, const char *list, options *o, void (*item)(options *, const char *)) {
    char *copy = strdup(list), *state = NULL;
    if (!copy || list[0] == '\0' || list[0] == ',' || list[strlen(list) - 1] == ',' || strstr(list, ",,"))
        bad("'%s' is not a list like a,b,c%s", flag, list, "");
    for (char *part = strtok_r(copy, ",", &state); part; part = strtok_r(NULL, ",", &state))
        item(o, part);
    free(copy);
}

/* "512", or "128x2112x7168". */
static options_size parse_size(const char *text) {
    char *copy = strdup(text), *state = NULL;
    int64_t edges[3] = {0};
    int count = 0;
    if (strchr(text, 'X'))
        bad("'%s' is written with a small x%s", "size", text, ", such as 128x2112x7168");
    if (!copy || text[0] == 'x' || text[0] == '\0' || text[strlen(text) - 1] == 'x' || strstr(text, "xx"))
        bad("'%s' is neither an edge nor MxNxK%s", "size", text, ", such as 128x2112x7168");
    for (char *part = strtok_r(copy, "x", &state); part; part = strtok_r(NULL, "x", &state)) {
        if (count == 3)
            bad("'%s' has more than three edges%s", "size", text, "; give MxNxK");
        edges[count++] = parse_integer("size", part, 0, MAX_EDGE);
    }
    free(copy);
    if (count == 2)
        bad("'%s' has two edges%s", "size", text, "; give one for a cube, or MxNxK");
    return count == 1 ? (options_size){edges[0], edges[0], edges[0]} : (options_size){edges[0], edges[1], edges[2]};
}

static void add_size(options *o, const char *text) {
    if (o->size_count == OPTIONS_MAX_SIZES)
        bad("more than %s sizes%s", "size", "32", "; run the driver twice");
    o->sizes[o->size_count++] = parse_size(text);
}

static uint32_t set_of(const gemm_dtype *dtypes, int count) {
    uint32_t set = 0;
    for (int i = 0; i < count; i++)
        set |= GEMM_HAS(dtypes[i]);
    return set;
}

static void push_dtype(gemm_dtype dtype, gemm_dtype *dtypes, int *count) {
    if (!(set_of(dtypes, *count) & GEMM_HAS(dtype)))
        dtypes[(*count)++] = dtype;
}

static gemm_dtype parse_dtype(const char *flag, const char *text) {
    gemm_dtype dtype;
    if (number_parse(text, &dtype) != 0 || dtype == GEMM_E4M3 || dtype == GEMM_E5M2)
        bad("unknown type '%s'; choose from: %s", flag, text, "f32, f16, bf16, tf32");
    return dtype;
}

static void add_dtype(options *o, const char *text) {
    push_dtype(parse_dtype("dtype", text), o->dtypes, &o->dtype_count);
}

static void add_usual_dtype(options *o, const char *text) {
    push_dtype(parse_dtype("default-dtype", text), o->usual_dtypes, &o->usual_dtype_count);
}

static const gemm_stage *parsed_stage;

/* ", a, b": those that are not in `known` yet are appended. */
static void add_known_configs(const gemm_kernel *kernel, char *known, size_t size) {
    for (int c = 0; kernel->configs && kernel->configs[c]; c++) {
        char whole[540], item[80];
        snprintf(whole, sizeof whole, ", %s,", known);
        snprintf(item, sizeof item, ", %.70s,", kernel->configs[c]);
        if (!strstr(whole, item))
            snprintf(known + strlen(known), size - strlen(known), ", %s", kernel->configs[c]);
    }
}

/* "mma/128x128x64" stands in rows and lists; asked for, it is two options. */
static void refuse_configuration(const char *flag, const char *text) {
    const char *slash = strchr(text, '/');
    for (int i = 0; slash && i < parsed_stage->kernel_count; i++) {
        const gemm_kernel *kernel = &parsed_stage->kernels[i];
        char more[200], known[512] = "";
        if (strncmp(text, kernel->name, (size_t)(slash - text)) != 0 || kernel->name[slash - text] != '\0')
            continue;
        snprintf(more, sizeof more, "--%s %.60s --config %.60s", strcmp(flag, "config") ? flag : "kernel", kernel->name,
                 slash + 1);
        if (options_find_config(kernel, slash + 1) > 0)
            bad("'%s' is a kernel and its configuration; give %s", flag, text, more);
        if (!kernel->configs)
            bad("'%s': %s has no configurations", flag, text, kernel->name);
        add_known_configs(kernel, known, sizeof known);
        bad("'%s': no such configuration; it has%s", flag, text, known + 1);
    }
}

/* Appends the stage's own name for it. */
static void add_name(const char *flag, const char *text, const char **names, int *count) {
    char known[512] = "all";
    for (int i = 0; i < parsed_stage->kernel_count; i++) {
        const char *name = parsed_stage->kernels[i].name;
        if (strcmp(text, name) == 0) {
            if (*count == OPTIONS_MAX_KERNELS)
                bad("more than %s names%s", flag, "32", "; run the driver twice");
            names[(*count)++] = name;
            return;
        }
        snprintf(known + strlen(known), sizeof known - strlen(known), ", %s", name);
    }
    refuse_configuration(flag, text);
    bad("this stage has no kernel '%s'; choose from: %s", flag, text, known);
}

static void add_kernel(options *o, const char *text) {
    o->all_kernels |= strcmp(text, "all") == 0;
    if (strcmp(text, "all") != 0)
        add_name("kernel", text, o->kernels, &o->kernel_count);
}

static void add_sustained(options *o, const char *text) {
    o->all_sustained |= strcmp(text, "all") == 0;
    if (strcmp(text, "all") != 0)
        add_name("sustained", text, o->sustained, &o->sustained_count);
}

/* Whether some kernel has it is asked when the kernels are known. */
static void add_config(options *o, const char *text) {
    o->all_configs |= strcmp(text, "all") == 0;
    o->first_config |= strcmp(text, "first") == 0;
    for (int i = 0; i < o->config_count; i++)
        if (strcmp(o->configs[i], text) == 0)
            return;
    if (o->config_count == OPTIONS_MAX_CONFIGS)
        bad("more than %s names%s", "config", "32", "; run the driver twice");
    o->configs[o->config_count++] = strdup(text); /* lives as long as the run */
}

static void add_poke(options *o, const char *text) {
    char *copy = strdup(text), *state = NULL, *part[4] = {NULL};
    for (int i = 0; i < 4 && copy; i++)
        part[i] = strtok_r(i == 0 ? copy : NULL, i < 3 ? ":" : "", &state);
    if (!part[3] || strlen(part[0]) != 1 || !strchr("ABC", part[0][0]))
        bad("'%s' is not MATRIX:ROW:COL:VALUE, %s", "poke", text, "such as A:64:32:nan");
    if (o->poke_count == OPTIONS_MAX_POKES)
        bad("more than %s elements%s", "poke", "64", "");
    o->pokes[o->poke_count++] =
        (options_poke){part[0][0], parse_integer("poke", part[1], 0, MAX_EDGE),
                       parse_integer("poke", part[2], 0, MAX_EDGE), (float)parse_real("poke", part[3], 0)};
    free(copy);
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
    static const char *const checks[] = {"auto", "full", "sampled", "none"};
    static const char *const protocols[] = {"default", "none", "burst", "sustained", "both"};
    static const char *const devices[] = {"auto", "cpu", "gpu"};
    options *o = state->input;
    switch (key) {
    case KEY_SIZE:
        each("size", text, o, add_size);
        return 0;
    case KEY_M:
        o->m = parse_integer("m", text, 0, MAX_EDGE);
        return 0;
    case KEY_N:
        o->n = parse_integer("n", text, 0, MAX_EDGE);
        return 0;
    case KEY_K:
        o->k = parse_integer("k", text, 0, MAX_EDGE);
        return 0;
    case KEY_ALPHA:
        o->alpha = parse_real("alpha", text, 1);
        return 0;
    case KEY_BETA:
        o->beta = parse_real("beta", text, 1);
        return 0;
    case KEY_LDA:
        o->lda = parse_integer("lda", text, 1, MAX_LD);
        return 0;
    case KEY_LDB:
        o->ldb = parse_integer("ldb", text, 1, MAX_LD);
        return 0;
    case KEY_LDC:
        o->ldc = parse_integer("ldc", text, 1, MAX_LD);
        return 0;
    case KEY_DTYPE:
        each("dtype", text, o, add_dtype);
        return 0;
    case KEY_DEFAULT_DTYPE:
        each("default-dtype", text, o, add_usual_dtype);
        return 0;
    case KEY_KERNEL:
        each("kernel", text, o, add_kernel);
        return 0;
    case KEY_CONFIG:
        each("config", text, o, add_config);
        return 0;
    case KEY_LIST:
        o->list = 1;
        return 0;
    case KEY_INIT:
        if (matrix_init_parse(text, &o->init) != 0)
            bad("unknown kind '%s'; choose one of: %s", "init", text, "normal, uniform, integers, index, ones, zeros");
        return 0;
    case KEY_SEED:
        o->seed = (uint64_t)parse_integer("seed", text, 0, INT64_MAX);
        return 0;
    case KEY_POKE:
        add_poke(o, text);
        return 0;
    case KEY_CHECK:
        o->check = (options_check)parse_choice("check", text, checks, 4);
        return 0;
    case KEY_PROTOCOL:
        o->protocol = (options_protocol)(1 + parse_choice("protocol", text, protocols + 1, 4));
        return 0;
    case KEY_SUSTAINED:
        each("sustained", text, o, add_sustained);
        return 0;
    case KEY_WARMUP:
        o->warmup = (int)parse_integer("warmup", text, 1, 1000000);
        return 0;
    case KEY_SAMPLES:
        o->samples = (int)parse_integer("samples", text, 1, 1000000);
        return 0;
    case KEY_REPEAT:
        o->repeat = (int)parse_integer("repeat", text, 1, 1000000);
        return 0;
    case KEY_CSV:
        o->csv = text;
        return 0;
    case KEY_JSON:
        o->json = text;
        return 0;
    case KEY_COUNTS:
        o->counts = text;
        return 0;
    case KEY_SANITIZE:
        o->sanitize = 1;
        return 0;
    case KEY_FINDINGS:
        o->sanitize = 1;
        o->findings = text;
        return 0;
    case KEY_DEVICE:
        o->device = (options_device)parse_choice("device", text, devices, 3);
        return 0;
    case ARGP_KEY_ARG:
        fprintf(stderr, "%s: unexpected argument '%s'; every option starts with --, see --help\n",
                program_invocation_short_name, text);
        exit(2);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int is_among(const gemm_kernel *kernel, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], kernel->name) == 0)
            return 1;
    return count == 0;
}

int options_choose(const options *o, const gemm_kernel *kernel) {
    return is_among(kernel, o->kernels, o->kernel_count);
}

int options_choose_sustained(const options *o, const gemm_kernel *kernel) {
    return is_among(kernel, o->sustained, o->sustained_count);
}

/* It lacks the type, and nobody asked for both: --dtype was not given, or no kernel was named and some kernel of the
 * stage has one of the types. */
int options_leave_out(const options *o, const gemm_stage *stage, const gemm_kernel *kernel, gemm_dtype dtype) {
    uint32_t has = 0;
    for (int i = 0; i < stage->kernel_count; i++)
        has |= stage->kernels[i].dtypes;
    return !(kernel->dtypes & GEMM_HAS(dtype)) &&
           (o->default_dtypes || (o->kernel_count == 0 && (has & set_of(o->dtypes, o->dtype_count))));
}

static int lacks_all_types(const options *o, const gemm_stage *stage, const gemm_kernel *kernel) {
    int lacking = 0;
    for (int d = 0; d < o->dtype_count; d++)
        lacking += options_leave_out(o, stage, kernel, o->dtypes[d]);
    return lacking == o->dtype_count;
}

int options_find_config(const gemm_kernel *kernel, const char *name) {
    for (int i = 0; kernel->configs && kernel->configs[i]; i++)
        if (strcmp(kernel->configs[i], name) == 0)
            return i + 1;
    return 0;
}

/* The name of a configuration that differs only in capitals, or NULL. */
static const char *spelled_otherwise(const gemm_kernel *kernel, const char *name) {
    for (int i = 0; kernel->configs[i]; i++)
        if (strcasecmp(kernel->configs[i], name) == 0)
            return kernel->configs[i];
    return NULL;
}

/* A configuration that no kernel that runs has is a slip of the keyboard. */
static void check_config(const options *o, const gemm_stage *stage, const char *name) {
    static const char none[] = "all, first";
    char known[512];
    const char *meant = NULL;
    snprintf(known, sizeof known, "%s", none);
    for (int i = 0; i < stage->kernel_count; i++) {
        const gemm_kernel *kernel = &stage->kernels[i];
        if (!options_choose(o, kernel) || !kernel->configs || lacks_all_types(o, stage, kernel))
            continue;
        if (options_find_config(kernel, name) > 0)
            return;
        meant = meant ? meant : spelled_otherwise(kernel, name);
        add_known_configs(kernel, known, sizeof known);
    }
    refuse_configuration("config", name);
    if (meant)
        bad("no chosen kernel has '%s'; write %s", "config", name, meant);
    if (strcmp(known, none) == 0)
        bad("'%s': no chosen kernel has configurations%s", "config", name, "; leave it out");
    bad("no chosen kernel has '%s'; choose from: %s", "config", name, known);
}

/* In the order of --help. */
static gemm_dtype first_dtype(const gemm_kernel *kernel) {
    static const gemm_dtype order[] = {GEMM_F32, GEMM_F16, GEMM_BF16, GEMM_TF32};
    size_t d = 0;
    while (d + 1 < sizeof order / sizeof *order && !(kernel->dtypes & GEMM_HAS(order[d])))
        d++;
    return order[d];
}

/* Those of --default-dtype; then the first type of the first chosen kernel where there are none, and of each named one
 * that would not run. */
static void take_default_dtypes(options *o, const gemm_stage *stage) {
    o->default_dtypes = 1;
    for (int d = 0; d < o->usual_dtype_count; d++)
        for (int i = 0; i < stage->kernel_count; i++)
            if (options_choose(o, &stage->kernels[i]) && (stage->kernels[i].dtypes & GEMM_HAS(o->usual_dtypes[d])))
                push_dtype(o->usual_dtypes[d], o->dtypes, &o->dtype_count);
    for (int i = 0; i < stage->kernel_count; i++)
        if (options_choose(o, &stage->kernels[i]) && (o->dtype_count == 0 || o->kernel_count > 0) &&
            !(stage->kernels[i].dtypes & set_of(o->dtypes, o->dtype_count)))
            push_dtype(first_dtype(&stage->kernels[i]), o->dtypes, &o->dtype_count);
}

void options_parse(options *o, int argc, char **argv, const gemm_stage *stage) {
    char *doc;
    *o = (options){.m = -1, .n = -1, .k = -1, .alpha = 1.0, .warmup = 3, .samples = 10, .seed = 1};
    if (asprintf(
            &doc,
            "%s: %s\v"
            "Exit status: 0 when every row passed or was skipped with its reason, 1 when one failed, 2 when the "
            "command line was not usable, which a file that cannot be written makes it, 3 when a record could not be "
            "written after all, 4 when the device was not usable.\n\n"
            "Examples:\n"
            "  %s --m 129 --n 257 --k 65 --dtype f32,f16\n"
            "  %s --size 256 --init ones --poke A:3:5:nan\n"
            "  %s --size 1024,2048,4096 --protocol both --csv record.csv",
            stage->name, stage->title, stage->name, stage->name, stage->name) < 0)
        exit(2);
    const struct argp argp = {option_list, parse_option, NULL, doc, NULL, NULL, NULL};
    parsed_stage = stage;
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, o);
    free(doc);
    if (o->all_kernels) /* wherever it stands in the list */
        o->kernel_count = 0;
    if ((o->all_sustained || o->sustained_count > 0) && o->protocol != TIME_BOTH)
        bad("it has a meaning with --protocol both only%s%s", "sustained", "; give that too, or leave it out", "");
    if (o->all_sustained)
        o->sustained_count = 0;
    if (o->size_count > 0 && o->m >= 0 && o->n >= 0 && o->k >= 0)
        bad("has no meaning beside --m, --n and --k%s%s", "size", "; leave it out", "");
    for (int i = 0; i < o->poke_count; i++)
        if (o->pokes[i].matrix == 'C' && o->beta == 0.0)
            bad("C is not read%s%s", "poke", " when beta is 0, and holds NaN before the run", "; give --beta too");
    if (o->counts && o->repeat > 1)
        bad("has no meaning beside --counts%s%s", "repeat", ": one run is counted", "; leave it out");
    if (o->first_config && o->config_count > 1)
        bad("first stands alone%s%s", "config", "; leave the others out", "");
    if (o->dtype_count == 0)
        take_default_dtypes(o, stage);
    for (int i = 0; i < o->config_count && !o->first_config; i++)
        if (strcmp(o->configs[i], "all") != 0)
            check_config(o, stage, o->configs[i]);
}

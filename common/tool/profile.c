/* ladder profile: Nsight Compute reads on a GPU what the CPU device counts, for every kernel of every stage. */
#include "counts.h"
#include "counts_file.h"
#include "drivers.h"
#include "select.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Which metric is which counter --------------------------------------------------------------------------------
 */

typedef struct metric {
    const char *counter; /* our name, as on the CPU device where that has it */
    const char *name;    /* Nsight Compute's */
    int factor;          /* that one times this is added to ours */
    bool optional;       /* adds nothing where Nsight Compute does not have it; else there is no counter then */
} metric;

/* Wavefronts twice: what the addresses of the instructions amount to (smsp__sass_...), which is the same in every run,
 * and what the data pipe really took, which is up to a fifth more where other traffic gets in the way. Those of
 * instructions leave out ldmatrix.
 *
 * nvcc turns a guard before a few copies into a predicate of each, and puts loads between that no thread executes. Such
 * instructions are issued and do nothing; pred_on_any leaves them out. The wavefronts and sectors of copies have no
 * such metric: what they say of the last pieces of K is no traffic, and shows only in the difference of two depths. */
static const metric metrics[] = {
    {"shared_load_requests", "smsp__inst_executed_op_shared_ld_pred_on_any.sum", 1, false},
    {"shared_load_requests", "smsp__inst_executed_op_ldsm_pred_on_any.sum", 1, true},
    {"ldmatrix_requests", "smsp__inst_executed_op_ldsm_pred_on_any.sum", 1, false},
    {"shared_load_wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 1, false},
    {"shared_load_wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", 1, true},
    {"ldmatrix_wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", 1, false},
    {"shared_load_pipe_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 1, false},
    {"shared_store_requests", "smsp__inst_executed_op_shared_st.sum", 1, false},
    {"shared_store_wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 1, false},
    {"shared_store_pipe_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 1, false},
    {"shared_async_requests", "smsp__inst_executed_op_ldgsts_pred_on_any.sum", 1, false},
    {"shared_async_wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", 1, false},
    {"global_load_l2_sectors", "smsp__sass_l1tex_m_xbar2l1tex_read_sectors_mem_global_op_ldgsts_cache_bypass.sum", 1,
     false},
    {"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1, false},
    {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1, false},
    {"global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 1, false},
    {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1, false},
    {"flops", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2, false},
    {"flops", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1, false},
    {"flops", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 1, false},
    {"tensor_flops", "sm__ops_path_tensor_src_fp16.sum", 1, false}, /* sums in float or in half */
    {"tensor_flops", "sm__ops_path_tensor_src_bf16_dst_fp32.sum", 1, true},
    {"tensor_flops", "sm__ops_path_tensor_src_tf32_dst_fp32.sum", 1, true},
    {"tensor_requests", "sm__inst_executed_pipe_tensor_op_hmma.sum", 1, false},
    {"warp_instructions", "smsp__inst_executed.sum", 1, false},
    {"local_load_requests", "smsp__inst_executed_op_local_ld.sum", 1, false},
    {"local_store_requests", "smsp__inst_executed_op_local_st.sum", 1, false},
    {"l2_sectors", "lts__t_sectors_srcunit_tex.sum", 1, false},
    {"dram_bytes", "dram__bytes.sum", 1, false},
    {"registers_per_thread", "launch__registers_per_thread", 1, false},
    {"static_shared_bytes", "launch__shared_mem_per_block_static", 1, false},
    {"dynamic_shared_bytes", "launch__shared_mem_per_block_dynamic", 1, false},
    {"threads_per_block", "launch__block_size", 1, false},
    {"blocks", "launch__grid_size", 1, false},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

static bool stood_before(size_t i) {
    for (size_t j = 0; j < i; ++j)
        if (strcmp(metrics[j].name, metrics[i].name) == 0)
            return true;
    return false;
}

/* Each once. */
static char *metric_list(void) {
    text_stream s;
    text_open(&s);
    for (size_t i = 0; i < METRICS; ++i)
        if (!stood_before(i))
            fprintf(s.out, "%s%s", i ? "," : "", metrics[i].name);
    text_close(&s);
    return s.text;
}

/* ---- Options ------------------------------------------------------------------------------------------------------
 */

typedef struct profile_options {
    tool_context *context;
    const char **stages; /* point into argv */
    size_t stage_count;
    bool only_targets;
    const char *out, *ncu, *dtypes;
    fault *f;
} profile_options;

static const struct argp_option options[] = {
    {"dtype", 't', "TYPE[,...]", 0, "Element types: f32, f16, bf16, tf32 (default f32,f16)", 1},
    {"out", 'o', "FILE", 0, "Write the counters here instead", 1},
    {"ncu", 0x100, "PATH", 0, "Nsight Compute's command line program (default: found by ./ladder)", 1},
    {"targets", 0x10A, 0, OPTION_HIDDEN, "Only print the chosen stages, which ./ladder then builds", 2},
    {0},
};

/* The drivers would refuse a wrong one, but under Nsight Compute. */
static error_t take_dtypes(profile_options *o, const char *list) {
    static const char *const types[] = {"f32", "f16", "bf16", "tf32"};
    char *copy = text_format("%s", list), *rest = copy, *type;
    int result = 0;
    while (result == 0 && (type = strsep(&rest, ",")))
        result = parse_name("--dtype", type, types, sizeof types / sizeof types[0], o->f);
    free(copy);
    o->dtypes = list;
    return result == 0 ? 0 : EINVAL;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
    profile_options *o = state->input;
    switch (key) {
    case 't':
        return take_dtypes(o, argument);
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o->context;
        return 0;
    case 'o':
        o->out = argument;
        return 0;
    case 0x100:
        o->ncu = argument;
        return 0;
    case 0x10A:
        o->only_targets = true;
        return 0;
    case ARGP_KEY_ARG:
        o->stages[o->stage_count++] = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&context_argp, 0, NULL, 0}, {0}};

static const struct argp profile_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "[STAGE...]",
    .doc =
        "Has Nsight Compute read, on a GPU, the counters that the CPU device counts: memory requests, wavefronts, "
        "sectors and operations of every kernel of the stages (default all), for 512 x 512 x 512, 512 x 512 x 1024 and "
        "129 x 257 x 65.\v"
        "A profile of all stages replaces plots/data/counts/<gpu>.csv; one of some stages, or of chosen types, stays "
        "in build/gpu/results. The driver must let you read counters: as root it always does.",
    .children = children,
};

/* ---- One stage on one shape ---------------------------------------------------------------------------------------
 */

static const char *const shapes[][3] = {
    {"--m=512", "--n=512", "--k=512"}, {"--m=512", "--n=512", "--k=1024"}, {"--m=129", "--n=257", "--k=65"}};

typedef struct session {
    const profile_options *o;
    char *scratch;       /* directory, owned */
    FILE *rows;          /* of the file to be written */
    gemm_record machine; /* the first row: GPU, versions, commit, date */
    bool has_machine;
    bool unknown_stage; /* the command line names one that there is not */
    bool told_left_out; /* of the stage */
    bool told_missing[METRICS];
} session;

/* The columns of Nsight Compute's raw page that hold our metrics; -1 where it has none. */
typedef struct header {
    int columns[METRICS];
} header;

enum { MAX_COLUMNS = 512 };

/* Splits a line of quoted fields in place. */
static int split_quoted(char *line, char *fields[MAX_COLUMNS]) {
    int count = 0;
    for (char *p = line; *p == '"' && count < MAX_COLUMNS;) {
        fields[count++] = ++p;
        p = strchr(p, '"');
        if (!p)
            break;
        *p++ = '\0';
        p += *p == ',';
    }
    return count;
}

static header read_header(char *fields[], int count) {
    header h;
    for (size_t i = 0; i < METRICS; ++i) {
        h.columns[i] = -1;
        for (int c = 0; c < count; ++c)
            if (strcmp(fields[c], metrics[i].name) == 0)
                h.columns[i] = c;
    }
    return h;
}

/* "1,234,567" or "1234567.0"; NAN for what is no number. */
static double read_value(const char *text) {
    char plain[64];
    size_t length = 0;
    for (; *text && length + 1 < sizeof plain; ++text)
        if (*text != ',')
            plain[length++] = *text;
    plain[length] = '\0';
    char *end;
    const double value = strtod(plain, &end);
    return length && !*end ? value : NAN;
}

/* What metric i adds to its counter; NAN where that cannot be told. */
static double contribution(const header *h, char *fields[], int count, size_t i) {
    const int column = h->columns[i];
    const double value = column >= 0 && column < count ? metrics[i].factor * read_value(fields[column]) : NAN;
    return isnan(value) && metrics[i].optional ? 0 : value;
}

static void put_counters(session *s, const gemm_record *row, const header *h, char *fields[], int count,
                         const char *function) {
    for (size_t i = 0; i < METRICS; ++i) {
        if (i > 0 && strcmp(metrics[i].counter, metrics[i - 1].counter) == 0)
            continue;
        double sum = 0;
        for (size_t j = i; j < METRICS && strcmp(metrics[j].counter, metrics[i].counter) == 0; ++j)
            sum += contribution(h, fields, count, j);
        if (isnan(sum))
            continue;
        fprintf(s->rows, "%s,%s,%s,%lld,%lld,%lld,", row->stage, row->kernel, row->dtype, (long long)row->m,
                (long long)row->n, (long long)row->k);
        record_put_text(s->rows, function);
        fprintf(s->rows, ",0,%s,%.15g\n", metrics[i].counter, sum);
    }
}

/* A row that passed, of a kernel on the GPU: one on the host has no shared memory to tell of. */
static bool has_launch(const gemm_record *row) { return strcmp(row->status, "pass") == 0 && !isnan(row->smem_bytes); }

static size_t count_launches(const record_list *list) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; ++i)
        count += has_launch(&list->rows[i]);
    return count;
}

static const gemm_record *next_launch(const record_list *list, size_t *at) {
    while (*at < list->count && !has_launch(&list->rows[*at]))
        ++*at;
    return *at < list->count ? &list->rows[(*at)++] : NULL;
}

/* What Nsight Compute has to say goes to its log, too: lines that are no row. */
static void print_words(const char *text) {
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        if (*line != '"')
            fprintf(stderr, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* One sentence for each metric that this GPU or this version does not have. Returns how many there are of the others.
 */
static size_t check_metrics(session *s, const header *h) {
    size_t found = 0;
    for (size_t i = 0; i < METRICS; ++i) {
        found += h->columns[i] >= 0;
        if (h->columns[i] < 0 && !s->told_missing[i] && !metrics[i].optional)
            printf("Nsight Compute has no %s here; %s is left out\n", metrics[i].name, metrics[i].counter);
        s->told_missing[i] = h->columns[i] < 0;
    }
    return found;
}

/* The i-th launch that was profiled is the i-th row that passed. */
static int take_profile(session *s, const char *stage, const char *profile, const record_list *list, fault *f) {
    char *text = text_format("%s", profile), *fields[MAX_COLUMNS], *rest = NULL;
    header h = {{0}};
    bool has_header = false, has_units = false;
    int function_column = 0;
    size_t at = 0, launches = 0, metrics_found = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const int count = split_quoted(line, fields);
        if (count < 10)
            continue; /* "==PROF== Connected to process ..." */
        if (!has_header) {
            h = read_header(fields, count);
            for (int c = 0; c < count; ++c)
                if (strcmp(fields[c], "Kernel Name") == 0)
                    function_column = c;
            has_header = true;
            metrics_found = check_metrics(s, &h);
        } else if (!has_units) {
            has_units = true;
        } else {
            const gemm_record *row = next_launch(list, &at);
            if (row && count > function_column)
                put_counters(s, row, &h, fields, count, fields[function_column]);
            ++launches;
        }
    }
    free(text);
    const size_t passed = count_launches(list);
    if (launches == 0 || launches != passed)
        print_words(profile);
    if (launches == 0)
        return fault_set(
            f, "%s: Nsight Compute profiled no launch; its words are above. May you read counters? Try as root", stage);
    if (launches != passed)
        return fault_set(f, "%s: %zu launch%s profiled for %zu row%s that passed; which is which cannot be told", stage,
                         launches, launches == 1 ? " was" : "es were", passed, passed == 1 ? "" : "s");
    if (metrics_found == 0)
        return fault_set(f, "%s: Nsight Compute has none of the metrics", stage);
    return 0;
}

static int ended_without_profile(const char *stage, fault *f) {
    return fault_set(f, "%s: Nsight Compute ended without a profile; its words are above", stage);
}

/* Once for all shapes. */
static void tell_left_out(session *s, const char *stage) {
    if (!s->told_left_out)
        printf("%s: left out: no kernel on the GPU has such a type\n", stage);
    s->told_left_out = true;
}

static int profile_shape(session *s, const char *stage, const char *const shape[3], fault *f) {
    char *driver = text_format("%s/%s", s->o->context->bin, stage), *list_of_metrics = metric_list();
    char *csv = text_format("%s/rows.csv", s->scratch), *log = text_format("%s/ncu.csv", s->scratch);
    char *dtypes = text_format("--dtype=%s", s->o->dtypes ? s->o->dtypes : "f32,f16");
    char *const argv[] = {(char *)s->o->ncu,
                          "--csv",
                          "--page",
                          "raw",
                          "--print-units",
                          "base",
                          "--print-kernel-base",
                          "mangled",
                          "--metrics",
                          list_of_metrics,
                          "--log-file",
                          log,
                          driver,
                          (char *)shape[0],
                          (char *)shape[1],
                          (char *)shape[2],
                          dtypes,
                          "--config=first", /* as the CPU device counts */
                          "--protocol=none",
                          "--csv",
                          csv,
                          NULL};
    unlink(csv);
    unlink(log);
    printf("%s %s %s %s\n", stage, shape[0], shape[1], shape[2]);
    fflush(stdout);
    const int status = process_run(argv, NULL, false);
    record_list list = {0};
    char *text = file_exists(log) ? read_file(log, f) : NULL;
    int result = 0;
    if (status < 0 || exited_with(status, 127))
        result = fault_set(f, "%s could not be started", s->o->ncu);
    else if (!file_exists(csv))
        result = ended_without_profile(stage, f);
    else
        result = record_read_csv(csv, &list, f->text, sizeof f->text);
    for (size_t i = 0; i < list.count && result == 0; ++i)
        if (strcmp(list.rows[i].status, "fail") == 0)
            result = fault_set(f, "%s %s %s: FAIL: %s; a kernel that is wrong is not profiled", stage,
                               list.rows[i].kernel, list.rows[i].dtype, list.rows[i].reason);
    if (result == 0 && list.count > 0 && !s->has_machine) {
        s->machine = list.rows[0];
        s->has_machine = true;
    }
    if (result == 0 && count_launches(&list) == 0 && exited_with(status, 0))
        tell_left_out(s, stage);
    else if (result == 0 && !text)
        result = ended_without_profile(stage, f);
    else if (result == 0)
        result = take_profile(s, stage, text, &list, f);
    else if (text)
        fputs(text, stderr);
    if (result == 0 && !exited_with(status, 0))
        result = fault_set(f, "%s: the driver or Nsight Compute ended with an error; its words are above", stage);
    record_list_free(&list);
    free(text);
    free(log);
    free(csv);
    free(dtypes);
    free(list_of_metrics);
    free(driver);
    return result;
}

/* ---- The file -----------------------------------------------------------------------------------------------------
 */

static char *ncu_version(const char *ncu) {
    char *const argv[] = {(char *)ncu, "--version", NULL};
    char *text = NULL, *version = NULL;
    process_capture(argv, NULL, &text);
    char *found = text ? strstr(text, "Version ") : NULL;
    if (found)
        version = text_format("%.*s", (int)strcspn(found + 8, " \n"), found + 8);
    free(text);
    return version ? version : text_format("unknown");
}

static char *choose_path(const session *s) {
    if (s->o->out)
        return text_format("%s", s->o->out);
    if (s->o->stage_count > 0 || s->o->dtypes)
        return text_format("%s/build/gpu/results/counts.csv", s->o->context->source);
    char *name = slug(s->machine.gpu), *path = text_format("%s/plots/data/counts/%s.csv", s->o->context->source, name);
    free(name);
    return path;
}

static int write_profile(const session *s, const char *rows, fault *f) {
    char *version = ncu_version(s->o->ncu), *path = choose_path(s);
    const gemm_record *m = &s->machine;
    char *text = text_format("# %s, driver %s, CUDA %s, Nsight Compute %s, commit %s, %s\n" COUNTS_HEADER "\n%s",
                             m->gpu, m->driver, m->toolkit, version, m->commit, m->date, rows);
    const int result = write_file(path, text, strlen(text), f);
    if (result == 0)
        printf("counters: %s\n", path);
    free(text);
    free(path);
    free(version);
    return result;
}

static int profile_stages(session *s, const driver_list *drivers, fault *f) {
    const size_t count = s->o->stage_count ? s->o->stage_count : drivers->count;
    for (size_t i = 0; i < count; ++i) {
        const char *stage = s->o->stage_count ? drivers_match(drivers, s->o->stages[i], f) : drivers->names[i];
        if (!stage) {
            s->unknown_stage = true;
            return -1;
        }
        s->told_left_out = false;
        for (size_t j = 0; j < sizeof shapes / sizeof *shapes; ++j)
            if (profile_shape(s, stage, shapes[j], f) != 0)
                return -1;
    }
    return 0;
}

static int profile(const profile_options *o, fault *f) {
    if (strcmp(o->context->device, "gpu") != 0)
        return fault_set(f, "profile needs a GPU; ./ladder count counts the same without one"), EXIT_USAGE;
    driver_list drivers;
    if (drivers_find(o->context->bin, &drivers, f) != 0)
        return EXIT_WORK;
    session s = {.o = o, .scratch = make_temporary_directory(f)};
    text_stream rows;
    text_open(&rows);
    s.rows = rows.out;
    int result = s.scratch ? profile_stages(&s, &drivers, f) : -1;
    text_close(&rows);
    if (result == 0 && rows.size == 0)
        result = fault_set(f, "no kernel of these stages has such a type; choose others with --dtype");
    if (result == 0)
        result = write_profile(&s, rows.text, f);
    if (s.scratch)
        remove_directory(s.scratch);
    free(s.scratch);
    free(rows.text);
    drivers_free(&drivers);
    return result == 0 ? 0 : s.unknown_stage ? EXIT_USAGE : EXIT_WORK;
}

int command_profile(tool_context *context, int argc, char **argv, fault *f) {
    profile_options o = {.context = context, .ncu = "ncu", .f = f};
    o.stages = calloc((size_t)argc + 1, sizeof *o.stages);
    int status = EXIT_USAGE;
    if (o.stages && argp_parse(&profile_argp, argc, argv, 0, NULL, &o) == 0 &&
        counts_check_replaceable("--out", o.out, f) == 0)
        status = o.only_targets ? stages_print(context->source, o.stages, o.stage_count, f) : profile(&o, f);
    free(o.stages);
    return status;
}

#define _GNU_SOURCE
#include "finding.h"

#include "cpu_device/counters.h"
#include "demangle.h"
#include "program.h"
#include "tally.h"
#include "wrapped.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[FINDING_KINDS] = {
    [FINDING_RACE] = "race",
    [FINDING_MISSING_WAIT] = "missing-wait",
    [FINDING_UNWRITTEN] = "unwritten",
    [FINDING_ARRAY_BOUNDS] = "array-bounds",
    [FINDING_OUT_OF_BOUNDS] = "out-of-bounds",
    [FINDING_MISALIGNED] = "misaligned",
    [FINDING_OUTSIDE_MATRIX] = "outside-matrix",
    [FINDING_MUST_NOT_READ] = "must-not-read",
    [FINDING_MISSING_LANES] = "missing-lanes",
    [FINDING_DIVERGENT_BARRIER] = "divergent-barrier",
    [FINDING_DEADLOCK] = "deadlock",
    [FINDING_LAUNCH] = "launch",
    [FINDING_UNINITIALISED] = "uninitialised",
};

const char *finding_verb(unsigned operation) {
    return operation == CPU_DEVICE_LOAD ? "reads" : operation == CPU_DEVICE_ATOMIC ? "updates" : "writes";
}

/* ---- While a launch runs: occurrences by kind and place in the machine code ---- */

struct raw {
    struct finding_hit first;
    uint64_t count;
    char *text; /* on the first one */
};

/* Loops that are unrolled have a place for each round; a kernel of which every access races with every other one could
   fill any table. */
enum { MAX_RAW = 1 << 14, RAW_SLOTS = 2 * MAX_RAW };

static struct {
    pthread_mutex_t lock;
    struct raw *list;
    size_t count, room;
    bool overflowed;
    uint32_t *slots; /* 1 + index into list, open addressing */
    struct raw *telling;
} launch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_same_place(const struct finding_hit *a, const struct finding_hit *b) {
    return a->kind == b->kind && a->site == b->site && a->other_site == b->other_site && a->file == b->file &&
           a->line == b->line;
}

static uint32_t *slot_of(const struct finding_hit *hit) {
    uint64_t hash = ((uint64_t)hit->site << 32 | hit->other_site) ^ (uint64_t)hit->line << 8 ^ hit->kind;
    size_t slot = (size_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32) % RAW_SLOTS;
    while (launch.slots[slot] && !is_same_place(&launch.list[launch.slots[slot] - 1].first, hit))
        slot = (slot + 1) % RAW_SLOTS;
    return &launch.slots[slot];
}

/* NULL when the table is full or memory ran out. */
static struct raw *add_raw(uint32_t *slot, const struct finding_hit *hit) {
    launch.overflowed = launch.overflowed || launch.count == MAX_RAW;
    if (launch.count == MAX_RAW)
        return NULL;
    if (launch.count == launch.room) {
        size_t room = launch.room ? 2 * launch.room : 64;
        struct raw *longer = realloc(launch.list, room * sizeof *longer);
        if (!longer)
            return NULL;
        launch.list = longer;
        launch.room = room;
    }
    struct raw *raw = &launch.list[launch.count++];
    *raw = (struct raw){.first = *hit};
    *slot = (uint32_t)launch.count;
    return raw;
}

static bool is_earlier(const struct finding_hit *a, const struct finding_hit *b) {
    return a->block != b->block ? a->block < b->block : a->order < b->order;
}

bool finding_note(const struct finding_hit *hit) {
    pthread_mutex_lock(&launch.lock);
    if (!launch.slots)
        launch.slots = calloc(RAW_SLOTS, sizeof *launch.slots);
    uint32_t *slot = launch.slots ? slot_of(hit) : NULL;
    struct raw *raw = !slot ? NULL : *slot ? &launch.list[*slot - 1] : add_raw(slot, hit);
    if (raw && raw->count++ > 0 && !is_earlier(hit, &raw->first))
        raw = NULL;
    launch.telling = raw;
    if (raw)
        raw->first = *hit;
    else
        pthread_mutex_unlock(&launch.lock);
    return raw != NULL;
}

void finding_tell(const char *format, ...) {
    struct raw *raw = launch.telling;
    va_list arguments;
    free(raw->text);
    va_start(arguments, format);
    if (vasprintf(&raw->text, format, arguments) < 0)
        raw->text = NULL;
    va_end(arguments);
    pthread_mutex_unlock(&launch.lock);
}

/* ---- When it has ended: findings by kind and source line ---- */

static struct {
    struct cpu_device_finding *list; /* strings owned, but kind and files */
    size_t count;
    size_t current; /* index of the first one since finding_begin_label */
} findings;

void finding_begin_label(void) { findings.current = findings.count; }

static struct program_place place_of_file(const char *file, unsigned line) {
    const char *slash = strrchr(file, '/');
    return (struct program_place){slash ? slash + 1 : file, line};
}

static bool any_without_line(const uint32_t *sites, size_t count, const struct program_place *places) {
    for (size_t i = 0; i < count; i++)
        if (sites[i] && !places[i].line)
            return true;
    return false;
}

/* The places of all raw findings: two for each, "" where there is none. To be freed; NULL when there is no memory. */
static struct program_place *find_places(void) {
    uint32_t *sites = calloc(2 * launch.count, sizeof *sites);
    struct program_place *places = calloc(2 * launch.count, sizeof *places);
    if (!sites) {
        free(places);
        places = NULL;
    }
    if (places) {
        for (size_t i = 0; i < launch.count; i++) {
            sites[2 * i] = launch.list[i].first.site;
            sites[2 * i + 1] = launch.list[i].first.other_site;
        }
        program_places(sites, 2 * launch.count, places);
        if (any_without_line(sites, 2 * launch.count, places))
            program_places_nearby(sites, 2 * launch.count, places);
        for (size_t i = 0; i < 2 * launch.count; i++)
            if (!sites[i] || !places[i].line)
                places[i] = (struct program_place){"", 0};
        for (size_t i = 0; i < launch.count; i++)
            if (launch.list[i].first.file)
                places[2 * i] = place_of_file(launch.list[i].first.file, launch.list[i].first.line);
    }
    free(sites);
    return places;
}

static int compare_places(const struct program_place *a, const struct program_place *b) {
    int file = strcmp(a->file, b->file);
    return file ? file : (a->line > b->line) - (a->line < b->line);
}

static void put_place(FILE *out, const char *file, unsigned line) {
    if (line)
        fprintf(out, "%s:%u", file, line);
    else
        fputs("a line that is not known", out);
}

/* "line 57", or "tile.cuh:57" where that is not the file of the first place. */
static void put_line(FILE *out, const struct program_place *place, const struct program_place *first) {
    if (place->line && strcmp(place->file, first->file) == 0)
        fprintf(out, "line %u", place->line);
    else
        put_place(out, place->file, place->line);
}

static void put_between(FILE *out, const struct program_place *places) {
    const bool one_line = compare_places(&places[0], &places[1]) == 0;
    fputs(one_line ? "within " : "between ", out);
    put_line(out, &places[0], &places[0]);
    if (one_line) {
        fputs(", or between two passes of it", out);
        return;
    }
    fputs(" and ", out);
    put_line(out, &places[1], &places[0]);
}

/* The text with its places filled in. */
static char *fill_in(const char *text, const struct program_place *places) {
    char *filled = NULL;
    size_t size;
    FILE *out = open_memstream(&filled, &size);
    if (!out)
        return NULL;
    while (*text) {
        static const char between[] = "{between}";
        if (text[0] == '{' && (text[1] == '1' || text[1] == '2') && text[2] == '}') {
            put_line(out, &places[text[1] - '1'], &places[0]);
            text += 3;
        } else if (strncmp(text, between, sizeof between - 1) == 0) {
            put_between(out, places);
            text += sizeof between - 1;
        } else {
            putc(*text++, out);
        }
    }
    return fclose(out) == 0 ? filled : NULL;
}

/* A raw finding with its places, to be sorted. */
struct placed {
    const struct raw *raw;
    struct program_place places[2];
};

static int compare_lines(const struct placed *a, const struct placed *b) {
    if (a->raw->first.kind != b->raw->first.kind)
        return a->raw->first.kind < b->raw->first.kind ? -1 : 1;
    int first = compare_places(&a->places[0], &b->places[0]);
    return first ? first : compare_places(&a->places[1], &b->places[1]);
}

static int by_line_and_time(const void *left, const void *right) {
    const struct placed *a = left, *b = right;
    int lines = compare_lines(a, b);
    if (lines)
        return lines;
    return is_earlier(&a->raw->first, &b->raw->first) ? -1 : is_earlier(&b->raw->first, &a->raw->first);
}

static bool are_places(const struct cpu_device_finding *f, const struct program_place *place,
                       const struct program_place *other) {
    return f->line == place->line && f->other_line == other->line && strcmp(f->file, place->file) == 0 &&
           strcmp(f->other_file, other->file) == 0;
}

/* Two lines that race do so either way round. */
static struct cpu_device_finding *find_known(const char *kernel, const struct placed *p) {
    for (size_t i = findings.current; i < findings.count; i++) {
        struct cpu_device_finding *f = &findings.list[i];
        if (f->kind == kind_names[p->raw->first.kind] && strcmp(f->kernel, kernel) == 0 &&
            (are_places(f, &p->places[0], &p->places[1]) || are_places(f, &p->places[1], &p->places[0])))
            return f;
    }
    return NULL;
}

static struct cpu_device_finding *add_finding(const char *label, const char *kernel, const struct placed *p) {
    struct cpu_device_finding *longer = realloc(findings.list, (findings.count + 1) * sizeof *longer);
    char *text = fill_in(p->raw->text ? p->raw->text : "", p->places);
    char *own_label = strdup(label), *own_kernel = strdup(kernel);
    if (longer)
        findings.list = longer;
    if (!longer || !text || !own_label || !own_kernel) {
        free(text);
        free(own_label);
        free(own_kernel);
        return NULL;
    }
    findings.list[findings.count] = (struct cpu_device_finding){
        .label = own_label,
        .kernel = own_kernel,
        .kind = kind_names[p->raw->first.kind],
        .file = p->places[0].file,
        .line = p->places[0].line,
        .other_file = p->places[1].file,
        .other_line = p->places[1].line,
        .text = text,
    };
    return &findings.list[findings.count++];
}

/* Barriers are told apart by their place in the machine code, and loops that are unrolled have several for one line. */
static bool is_one_barrier(const struct placed *p) {
    return p->raw->first.kind == FINDING_DIVERGENT_BARRIER && compare_places(&p->places[0], &p->places[1]) == 0;
}

static void tell_all(struct placed *placed, const char *label, const char *kernel, bool announce) {
    const size_t before = findings.count;
    for (size_t i = 0; i < launch.count; i++) {
        if (is_one_barrier(&placed[i]))
            continue;
        struct cpu_device_finding *f = find_known(kernel, &placed[i]);
        if (!f)
            f = add_finding(label, kernel, &placed[i]);
        if (f)
            f->count += placed[i].raw->count;
    }
    for (size_t i = before; i < findings.count && announce; i++)
        cpu_device_print_finding(stderr, &findings.list[i]);
}

void finding_end_launch(const char *label, const char *kernel, bool announce) {
    if (launch.count == 0)
        return;
    if (launch.overflowed)
        fprintf(stderr, "CPU device: kernel %s: mistakes in more than %d pairs of places; the others are left out.\n",
                kernel, MAX_RAW);
    launch.overflowed = false;
    struct program_place *places = find_places();
    struct placed *placed = calloc(launch.count, sizeof *placed);
    char *name = demangle_short(kernel);
    if (places && placed) {
        for (size_t i = 0; i < launch.count; i++)
            placed[i] = (struct placed){&launch.list[i], {places[2 * i], places[2 * i + 1]}};
        qsort(placed, launch.count, sizeof *placed, by_line_and_time);
        tell_all(placed, label, name ? name : kernel, announce);
    } else {
        fprintf(stderr, "CPU device: no memory to tell what was found in kernel %s.\n", kernel);
    }
    for (size_t i = 0; i < launch.count; i++)
        free(launch.list[i].text);
    memset(launch.slots, 0, RAW_SLOTS * sizeof *launch.slots);
    launch.count = 0;
    free(name);
    free(placed);
    free(places);
}

/* ---- Handing out ---- */

const struct cpu_device_finding *cpu_device_get_findings(size_t *count) {
    *count = findings.count;
    return findings.list;
}

void cpu_device_forget_findings(void) {
    for (size_t i = 0; i < findings.count; i++) {
        free((void *)findings.list[i].label);
        free((void *)findings.list[i].kernel);
        free((void *)findings.list[i].text);
    }
    free(findings.list);
    findings.list = NULL;
    findings.count = findings.current = 0;
}

void cpu_device_print_finding(FILE *out, const struct cpu_device_finding *finding) {
    fprintf(out, "%s in kernel %s", finding->kind, finding->kernel);
    if (finding->line) {
        fputs(", ", out);
        put_place(out, finding->file, finding->line);
    }
    if (finding->other_line) {
        fputs(" and ", out);
        put_place(out, finding->other_file, finding->other_line);
    }
    if (finding->count > 1)
        fprintf(out, " (%" PRIu64 " times; the first:)", finding->count);
    putc('\n', out);
    put_wrapped(out, finding->text, 4);
}

static void put_line_number(FILE *out, unsigned line) {
    if (line)
        fprintf(out, "%u", line);
    putc(',', out);
}

void cpu_device_write_finding(FILE *out, const char *label, const struct cpu_device_finding *finding) {
    fprintf(out, "%s,%s,", label, finding->kind);
    tally_print_field(out, finding->file);
    putc(',', out);
    put_line_number(out, finding->line);
    tally_print_field(out, finding->other_file);
    putc(',', out);
    put_line_number(out, finding->other_line);
    fprintf(out, "%" PRIu64 ",", finding->count);
    tally_print_field(out, finding->text);
    putc('\n', out);
}

#define _GNU_SOURCE
#include "tally.h"

#include "count.h"
#include "counts_columns.h"
#include "program.h"
#include "scheduler.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct tally_site {
    uint64_t key; /* return address << 4 | space << 2 | operation */
    struct site_totals totals;
};

struct tally_block {
    uint32_t return_address;
    uint64_t runs;
};

struct tally_object {
    size_t offset, size;
};

struct tally {
    struct cpu_device_counts counts; /* its own strings and accesses */
    struct tally_site *sites;        /* by key */
    size_t site_count;
    struct tally_block *blocks; /* by return address */
    size_t block_count;
    struct tally_object *objects; /* what was touched in shared memory, each once */
    size_t object_count;
    bool incomplete;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tally **tallies;
static size_t tally_count;
static uint8_t *touched; /* a bit for each sector of device memory, in this launch */
static size_t touched_bytes;

void tally_lock(void) { pthread_mutex_lock(&lock); }
void tally_unlock(void) { pthread_mutex_unlock(&lock); }

/* ---- One tally for each label, kernel and shape ---- */

static bool is_same(uint3 a, uint3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static const char *function_name(const struct cpu_device_launch_config *config) {
    const char *symbol = config->kernel_function ? program_function(config->kernel_function) : NULL;
    return symbol ? symbol : config->kernel_name;
}

/* clang says "float *" where g++ says "float*". */
static void close_up_pointers(char *types) {
    char *out = types;
    for (const char *in = types; *in; in++)
        if (*in != ' ' || (in[1] != '*' && in[1] != '&'))
            *out++ = *in;
    *out = '\0';
}

/* The types in "... [with Arguments = {float*, int}; ...]" or "... [Arguments = <float *, int>]", in parentheses. */
static char *argument_list(const struct cpu_device_launch_config *config) {
    static const char key[] = "Arguments = ";
    const char *at = config->argument_types ? strstr(config->argument_types, key) : NULL;
    if (!at)
        return strdup("");
    const char *begin = at + sizeof key, close = at[sizeof key - 1] == '{' ? '}' : '>';
    const char *end = strrchr(begin, close);
    char *list = NULL;
    if (asprintf(&list, "(%.*s)", end ? (int)(end - begin) : 0, begin) < 0)
        return NULL;
    close_up_pointers(list);
    return list;
}

static bool is_for(const struct tally *tally, const char *label, const char *function, const char *arguments,
                   const struct cpu_device_launch_config *config) {
    const struct cpu_device_counts *c = &tally->counts;
    return strcmp(c->label, label) == 0 && strcmp(c->function, function) == 0 && strcmp(c->arguments, arguments) == 0 &&
           is_same(c->grid, config->grid) && is_same(c->block, config->block) &&
           c->dynamic_shared == config->dynamic_shared_size;
}

static void free_tally(struct tally *tally) {
    free((void *)tally->counts.label);
    free((void *)tally->counts.function);
    free((void *)tally->counts.arguments);
    free((void *)tally->counts.accesses);
    free(tally->sites);
    free(tally->blocks);
    free(tally->objects);
    free(tally);
}

static struct tally *add_tally(const char *label, const char *function, const char *arguments,
                               const struct cpu_device_launch_config *config) {
    struct tally **longer = realloc(tallies, (tally_count + 1) * sizeof *longer);
    if (!longer)
        return NULL;
    tallies = longer;
    struct tally *tally = calloc(1, sizeof *tally);
    if (!tally)
        return NULL;
    tally->counts = (struct cpu_device_counts){
        .label = strdup(label),
        .function = strdup(function),
        .arguments = strdup(arguments),
        .grid = config->grid,
        .block = config->block,
        .dynamic_shared = config->dynamic_shared_size,
    };
    if (!tally->counts.label || !tally->counts.function || !tally->counts.arguments) {
        free_tally(tally);
        return NULL;
    }
    return tallies[tally_count++] = tally;
}

struct tally *tally_find(const char *label, const struct cpu_device_launch_config *config) {
    const char *function = function_name(config);
    char *arguments = argument_list(config);
    struct tally *found = NULL;
    for (size_t i = 0; arguments && i < tally_count && !found; i++)
        if (is_for(tallies[i], label, function, arguments, config))
            found = tallies[i];
    if (arguments && !found)
        found = add_tally(label, function, arguments, config);
    free(arguments);
    return found;
}

void cpu_device_forget_counts(void) {
    for (size_t i = 0; i < tally_count; i++)
        free_tally(tallies[i]);
    free(tallies);
    tallies = NULL;
    tally_count = 0;
}

/* ---- Adding ---- */

void tally_begin_launch(struct tally *tally) {
    tally->counts.launches++;
    if (touched)
        madvise(touched, touched_bytes, MADV_DONTNEED); /* back to zeros */
}

void tally_end_launch(struct tally *tally, bool failed) {
    tally->counts.failed_launches += failed;
    if (tally->incomplete)
        fprintf(stderr, "CPU device: kernel %s: memory ran out while counting; its counts are too low.\n",
                tally->counts.function);
    tally->incomplete = false; /* said once is enough */
}

void tally_is_incomplete(struct tally *tally) { tally->incomplete = true; }

static void add_totals(struct site_totals *sum, const struct site_totals *t) {
    sum->requests += t->requests;
    sum->lanes += t->lanes;
    sum->bytes += t->bytes;
    sum->wavefronts += t->wavefronts;
    sum->conflict_free += t->conflict_free;
    sum->sectors += t->sectors;
    sum->lines += t->lines;
    sum->l2_sectors += t->l2_sectors;
    sum->matrix_requests += t->matrix_requests;
    sum->matrix_wavefronts += t->matrix_wavefronts;
    sum->flops += t->flops;
}

/* A sorted array is enough: sites are few, and most are there after the first OS thread. */
void tally_add_site(struct tally *tally, uint64_t return_address, unsigned space, unsigned operation,
                    const struct site_totals *totals) {
    uint64_t key = return_address << 4 | space << 2 | operation;
    size_t low = 0, high = tally->site_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (tally->sites[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < tally->site_count && tally->sites[low].key == key) {
        add_totals(&tally->sites[low].totals, totals);
        return;
    }
    struct tally_site *longer = realloc(tally->sites, (tally->site_count + 1) * sizeof *longer);
    if (!longer) {
        tally->incomplete = true;
        return;
    }
    tally->sites = longer;
    memmove(&longer[low + 1], &longer[low], (tally->site_count - low) * sizeof *longer);
    longer[low] = (struct tally_site){key, *totals};
    tally->site_count++;
}

void tally_add_object(struct tally *tally, size_t offset, size_t size) {
    for (size_t i = 0; i < tally->object_count; i++)
        if (tally->objects[i].offset == offset)
            return;
    struct tally_object *longer = realloc(tally->objects, (tally->object_count + 1) * sizeof *longer);
    if (!longer) {
        tally->incomplete = true;
        return;
    }
    tally->objects = longer;
    longer[tally->object_count++] = (struct tally_object){offset, size};
}

void tally_add_thread(struct tally *tally, uint64_t barriers, uint64_t block_sectors, uint64_t half_flops,
                      uint64_t tensor_flops) {
    tally->counts.barriers += barriers;
    tally->counts.block_sectors += block_sectors;
    tally->counts.half_flops += half_flops;
    tally->counts.tensor_flops += tensor_flops;
}

static void add_block(struct tally *tally, size_t *at, uint32_t return_address, uint64_t runs) {
    while (*at < tally->block_count && tally->blocks[*at].return_address < return_address)
        ++*at;
    if (*at < tally->block_count && tally->blocks[*at].return_address == return_address) {
        tally->blocks[*at].runs += runs;
        return;
    }
    struct tally_block *longer = realloc(tally->blocks, (tally->block_count + 1) * sizeof *longer);
    if (!longer) {
        tally->incomplete = true;
        return;
    }
    tally->blocks = longer;
    memmove(&longer[*at + 1], &longer[*at], (tally->block_count - *at) * sizeof *longer);
    longer[*at] = (struct tally_block){return_address, runs};
    tally->block_count++;
}

void tally_add_blocks(struct tally *tally, uint64_t *blocks_run, size_t size) {
    size_t at = 0;
    for (size_t a = 0; a < size; a++)
        if (blocks_run[a])
            add_block(tally, &at, (uint32_t)a, blocks_run[a]);
    madvise(blocks_run, size * sizeof *blocks_run, MADV_DONTNEED);
}

void tally_add_sectors(struct tally *tally, uint16_t *stamps, size_t first, size_t end) {
    size_t bytes = end / 8 + 1;
    if (bytes > touched_bytes) {
        uint8_t *larger = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (larger == MAP_FAILED) {
            tally->incomplete = true;
            return;
        }
        if (touched) {
            memcpy(larger, touched, touched_bytes);
            munmap(touched, touched_bytes);
        }
        touched = larger;
        touched_bytes = bytes;
    }
    for (size_t i = first; i < end; i++) {
        uint8_t bit = (uint8_t)(1u << i % 8);
        if (!stamps[i] || (touched[i / 8] & bit))
            continue;
        touched[i / 8] |= bit;
        tally->counts.launch_sectors++;
    }
    memset(&stamps[first], 0, (end - first) * sizeof *stamps);
}

/* ---- Handing out ---- */

/* All blocks of all tallies, each once and ascending, so that the program is read only once. The array is the caller's;
   NULL when there is no memory. */
static uint32_t *all_blocks(size_t *count) {
    size_t total = 0, at = 0;
    for (size_t i = 0; i < tally_count; i++)
        total += tallies[i]->block_count;
    uint32_t *addresses = calloc(total + 1, sizeof *addresses);
    if (!addresses)
        return NULL;
    for (size_t i = 0; i < tally_count; i++)
        for (size_t j = 0; j < tallies[i]->block_count; j++)
            addresses[at++] = tallies[i]->blocks[j].return_address;
    qsort(addresses, total, sizeof *addresses, program_compare_addresses);
    *count = 0;
    for (size_t i = 0; i < total; i++)
        if (i == 0 || addresses[i] != addresses[i - 1])
            addresses[(*count)++] = addresses[i];
    return addresses;
}

static void add_flops(struct tally *tally, const uint32_t *addresses, const struct program_block_flops *flops,
                      size_t count) {
    struct cpu_device_counts *c = &tally->counts;
    c->flops_certain = c->flops_known;
    for (size_t i = 0; i < tally->block_count; i++) {
        const struct tally_block *block = &tally->blocks[i];
        const uint32_t *at =
            bsearch(&block->return_address, addresses, count, sizeof *addresses, program_compare_addresses);
        const struct program_block_flops *f = &flops[at - addresses];
        c->flops += f->single * block->runs;
        c->double_flops += f->twofold * block->runs;
        c->flops_certain = c->flops_certain && f->certain;
    }
}

static void count_flops(void) {
    size_t count = 0;
    uint32_t *addresses = all_blocks(&count);
    struct program_block_flops *flops = calloc(count + 1, sizeof *flops);
    const bool known = addresses && flops && program_flops(addresses, count, flops);
    for (size_t i = 0; i < tally_count; i++) {
        struct cpu_device_counts *c = &tallies[i]->counts;
        c->flops = c->double_flops = 0;
        c->flops_known = known;
        c->flops_certain = false;
        if (known)
            add_flops(tallies[i], addresses, flops, count);
    }
    free(addresses);
    free(flops);
}

static int by_place(const void *left, const void *right) {
    const struct cpu_device_access_counts *a = left, *b = right;
    int file = strcmp(a->file, b->file);
    if (file)
        return file;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return (a->operation > b->operation) - (a->operation < b->operation);
}

static void add_access(struct cpu_device_access_counts *sum, const struct cpu_device_access_counts *a) {
    sum->requests += a->requests;
    sum->lanes += a->lanes;
    sum->bytes += a->bytes;
    sum->wavefronts += a->wavefronts;
    sum->conflict_free += a->conflict_free;
    sum->sectors += a->sectors;
    sum->cache_lines += a->cache_lines;
    sum->l2_sectors += a->l2_sectors;
    sum->matrix_requests += a->matrix_requests;
    sum->matrix_wavefronts += a->matrix_wavefronts;
    sum->tensor_flops += a->tensor_flops;
}

/* g++ keeps a byte beside a static array of a class with constructors, such as float4, that says whether it has been
   initialised. No GPU has one. */
static bool is_guard(size_t offset) {
    const char *name = program_shared_object(offset).name;
    return name && strncmp(name, "_ZGV", 4) == 0;
}

size_t tally_static_shared(const struct tally *tally) {
    const size_t dynamic = program_shared_object(cpu_device_shared_window()).offset;
    size_t bytes = 0;
    for (size_t i = 0; i < tally->object_count; i++)
        if (tally->objects[i].offset != dynamic && !is_guard(tally->objects[i].offset))
            bytes += tally->objects[i].size;
    return bytes;
}

static void drop_guards(struct tally *tally) {
    size_t kept = 0;
    for (size_t i = 0; i < tally->site_count; i++) {
        const struct tally_site *site = &tally->sites[i];
        if ((site->key >> 2 & 3) != CPU_DEVICE_SHARED || !is_guard(site->totals.shared_offset))
            tally->sites[kept++] = *site;
    }
    tally->site_count = kept;
}

/* Sites of one line become one. */
static void gather_accesses(struct tally *tally, const struct program_place *places) {
    struct cpu_device_access_counts *accesses = calloc(tally->site_count + 1, sizeof *accesses);
    size_t count = 0;
    for (size_t i = 0; accesses && i < tally->site_count; i++) {
        const struct tally_site *s = &tally->sites[i];
        const struct site_totals *t = &s->totals;
        accesses[i] = (struct cpu_device_access_counts){
            .file = places[i].file,
            .line = places[i].line,
            .space = s->key >> 2 & 3,
            .operation = s->key & 3,
            .requests = t->requests,
            .lanes = t->lanes,
            .bytes = t->bytes,
            .wavefronts = t->wavefronts,
            .conflict_free = t->conflict_free,
            .matrix_requests = t->matrix_requests,
            .matrix_wavefronts = t->matrix_wavefronts,
            .sectors = t->sectors,
            .cache_lines = t->lines,
            .l2_sectors = t->l2_sectors,
            .tensor_flops = t->flops,
        };
    }
    if (accesses)
        qsort(accesses, tally->site_count, sizeof *accesses, by_place);
    for (size_t i = 0; accesses && i < tally->site_count; i++) {
        if (count > 0 && by_place(&accesses[count - 1], &accesses[i]) == 0)
            add_access(&accesses[count - 1], &accesses[i]);
        else
            accesses[count++] = accesses[i];
    }
    free((void *)tally->counts.accesses);
    tally->counts.accesses = accesses;
    tally->counts.access_count = count;
}

/* The place of the nearest site before or after site i that makes accesses of the same kind and whose line is known. */
static const struct program_place *known_neighbour(const struct tally *tally, const struct program_place *places,
                                                   size_t i) {
    enum { KIND = 15 }; /* space and operation */
    const size_t count = tally->site_count;
    for (size_t distance = 1; distance < count; distance++)
        for (int side = 0; side < 2; side++) {
            const size_t j = side ? i + distance : i - distance;
            if (j < count && places[j].line && ((tally->sites[j].key ^ tally->sites[i].key) & KIND) == 0)
                return &places[j];
        }
    return NULL;
}

/* Where the optimiser has lost the line of an instruction, that of its neighbour in the machine code will do. */
static void fill_unknown_places(const struct tally *tally, struct program_place *places) {
    for (size_t i = 0; i < tally->site_count; i++) {
        const struct program_place *known = places[i].line ? NULL : known_neighbour(tally, places, i);
        if (known)
            places[i] = *known;
    }
}

/* All addresses of all tallies in one go: starting a tool is what takes time. */
static void find_places(void) {
    size_t total = 0, at = 0;
    for (size_t i = 0; i < tally_count; i++)
        total += tallies[i]->site_count;
    uint32_t *addresses = calloc(total + 1, sizeof *addresses);
    struct program_place *places = calloc(total + 1, sizeof *places);
    if (!addresses || !places) {
        free(addresses);
        free(places);
        return;
    }
    for (size_t i = 0; i < tally_count; i++)
        for (size_t j = 0; j < tallies[i]->site_count; j++)
            addresses[at++] = (uint32_t)(tallies[i]->sites[j].key >> 4);
    program_places(addresses, total, places);
    at = 0;
    for (size_t i = 0; i < tally_count; i++) {
        fill_unknown_places(tallies[i], &places[at]);
        gather_accesses(tallies[i], &places[at]);
        at += tallies[i]->site_count;
    }
    free(addresses);
    free(places);
}

const struct cpu_device_counts *cpu_device_get_counts(size_t *count) {
    static struct cpu_device_counts *handed_out;
    free(handed_out);
    handed_out = calloc(tally_count + 1, sizeof *handed_out);
    *count = handed_out ? tally_count : 0;
    for (size_t i = 0; i < tally_count; i++)
        drop_guards(tallies[i]);
    find_places();
    count_flops();
    for (size_t i = 0; i < *count; i++) {
        tallies[i]->counts.static_shared = tally_static_shared(tallies[i]);
        handed_out[i] = tallies[i]->counts;
    }
    return handed_out;
}

/* ---- As rows ---- */

void tally_print_field(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text == '\n' ? ' ' : *text);
    putc('"', out);
}

struct printer {
    FILE *out;
    const char *prefix, *source;
    unsigned line;
};

static void print_counter(const struct printer *p, const char *name, uint64_t value) {
    fprintf(p->out, "%s,", p->prefix);
    tally_print_field(p->out, p->source);
    fprintf(p->out, ",%u,%s,%" PRIu64 "\n", p->line, name, value);
}

static void print_tensor(const struct printer *p, const struct cpu_device_access_counts *a) {
    print_counter(p, "tensor_requests", a->requests);
    print_counter(p, "tensor_flops", a->tensor_flops);
}

static void print_access(FILE *out, const char *prefix, const struct cpu_device_access_counts *a) {
    static const char *const spaces[] = {"shared", "global", "constant", "tensor"}, *const operations[] = {
                                                                                        "load", "store", "atomic",
                                                                                        "async"};
    const struct printer p = {out, prefix, a->file, a->line};
    if (a->space == CPU_DEVICE_TENSOR) {
        print_tensor(&p, a);
        return;
    }
    const struct {
        const char *name;
        uint64_t value;
        int space; /* that has this counter, or -1 */
    } counters[] = {
        {"requests", a->requests, -1},
        {"lanes", a->lanes, -1},
        {"bytes", a->bytes, -1},
        {"wavefronts", a->wavefronts, CPU_DEVICE_SHARED},
        {"conflict_free_wavefronts", a->conflict_free, CPU_DEVICE_SHARED},
        {"sectors", a->sectors, CPU_DEVICE_GLOBAL},
        {"cache_lines", a->cache_lines, CPU_DEVICE_GLOBAL},
    };
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s_%s_%s", spaces[a->space], operations[a->operation], counters[i].name);
        if (counters[i].space < 0 || counters[i].space == (int)a->space)
            print_counter(&p, name, counters[i].value);
    }
    if (a->l2_sectors)
        print_counter(&p, "global_load_l2_sectors", a->l2_sectors);
    if (a->matrix_requests) {
        print_counter(&p, "ldmatrix_requests", a->matrix_requests);
        print_counter(&p, "ldmatrix_wavefronts", a->matrix_wavefronts);
    }
}

void cpu_device_print_counts(FILE *out, const char *prefix, const struct cpu_device_counts *c) {
    if (!c) {
        fputs(COUNTS_HEADER "\n", out);
        return;
    }
    const struct printer p = {out, prefix, c->function, 0};
    const uint64_t blocks = (uint64_t)c->grid.x * c->grid.y * c->grid.z;
    print_counter(&p, "launches", c->launches);
    print_counter(&p, "failed_launches", c->failed_launches);
    print_counter(&p, "blocks", blocks);
    print_counter(&p, "threads_per_block", (uint64_t)c->block.x * c->block.y * c->block.z);
    print_counter(&p, "static_shared_bytes", c->static_shared);
    print_counter(&p, "dynamic_shared_bytes", c->dynamic_shared);
    print_counter(&p, "barriers", c->barriers);
    if (c->flops_known) {
        print_counter(&p, "flops", c->flops);
        print_counter(&p, "double_flops", c->double_flops);
        print_counter(&p, "half_flops", c->half_flops);
        print_counter(&p, "flops_certain", c->flops_certain);
    }
    print_counter(&p, "block_sectors", c->block_sectors);
    print_counter(&p, "launch_sectors", c->launch_sectors);
    for (size_t i = 0; i < c->access_count; i++)
        print_access(out, prefix, &c->accesses[i]);
}

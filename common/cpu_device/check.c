#define _GNU_SOURCE
#include "check.h"

#include "cpu_device/counters.h"
#include "demangle.h"
#include "device.h"
#include "finding.h"
#include "memory.h"
#include "program.h"
#include "race.h"
#include "shape.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Shared arrays of the program, read once ---- */

/* What each byte of thread-local data belongs to: 1 + index of a shared array. So many arrays are told apart; the rest
   share the last number. A GUARD is a byte beside an array in which g++ keeps whether it has been initialised. */
enum { NO_ARRAY = 0, MAX_ARRAYS = UINT8_MAX - 1, GUARD = UINT8_MAX };

static struct {
    struct program_object *arrays;
    size_t array_count;
    uint8_t *owners;
    size_t size;   /* of thread-local data */
    size_t window; /* offset of the dynamic shared window */
    struct program_range image;
    uintptr_t base;
    bool usable;
} program;

static void take(const struct program_object *object, size_t number) {
    if (object->offset <= program.size && object->size <= program.size - object->offset)
        memset(program.owners + object->offset, (int)number, object->size);
}

static void add_array(const struct program_object *object, void *unused) {
    (void)unused;
    if (strncmp(object->name, "_ZGV", 4) == 0) {
        take(object, GUARD);
        return;
    }
    struct program_object *longer = realloc(program.arrays, (program.array_count + 1) * sizeof *longer);
    if (!longer)
        return;
    program.arrays = longer;
    char *name = demangle_variable(object->name);
    longer[program.array_count++] = (struct program_object){name ? name : object->name, object->offset, object->size};
    take(object, program.array_count < MAX_ARRAYS ? program.array_count : MAX_ARRAYS);
}

static void read_program(void) {
    const struct program_range shared = program_thread_local();
    program.size = shared.end - shared.begin;
    program.image = program_image();
    program.base = program_base();
    program.window = cpu_device_shared_window();
    program.owners = calloc(program.size + 1, 1);
    program.usable =
        program.owners && program.size <= RACE_MAX_SHARED && program.image.end - program.base <= RACE_MAX_PROGRAM;
    if (program.usable)
        program_each_shared_array(add_array, NULL);
    if (program.usable && program.array_count == 0) /* a program without symbols: anything may be an array */
        memset(program.owners, MAX_ARRAYS, program.size);
}

static bool is_in(const struct program_range *range, uintptr_t address) {
    return address - range->begin < range->end - range->begin;
}

/* ---- One launch ---- */

struct matrix {
    struct cpu_device_matrix given;
    uintptr_t allocation; /* that it lies in */
    size_t allocation_size;
    atomic_bool *written; /* for each element of one that is not to be read, and may be written; else NULL */
    size_t row_bytes, pitch_bytes, extent; /* extent: from the first byte of the first element to the last one's end */
};

static struct {
    char *label; /* NULL: launches are not checked */
    struct cpu_device_matrix declared[CPU_DEVICE_MAX_MATRICES];
    size_t declared_count;
    struct matrix matrices[CPU_DEVICE_MAX_MATRICES];
    size_t matrix_count;
    struct memory_range *allocations; /* ascending */
    size_t allocation_count;
    struct program_range arena, argument;
    const struct cpu_device_launch_config *config;
    bool announce;
    atomic_uint log_room; /* 0, or what was too little for the accesses of a thread between two barriers */
} launch;

bool check_is_on(void) { return launch.label != NULL; }

void check_announce(bool announce) { launch.announce = announce; }

void cpu_device_check_launches(const char *label) {
    free(launch.label);
    launch.label = label ? strdup(label) : NULL;
    finding_begin_label();
    if (label && !launch.label)
        fprintf(stderr, "CPU device: no memory to check launches.\n");
}

void cpu_device_declare_matrices(const struct cpu_device_matrix *matrices, size_t count) {
    launch.declared_count = count < CPU_DEVICE_MAX_MATRICES ? count : CPU_DEVICE_MAX_MATRICES;
    for (size_t i = 0; i < launch.declared_count; i++)
        launch.declared[i] = matrices[i];
}

/* The allocation that holds the address, or NULL. */
static const struct memory_range *find_allocation(uintptr_t address) {
    size_t low = 0, high = launch.allocation_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct memory_range *a = &launch.allocations[middle];
        if (address < a->begin)
            high = middle;
        else if (address - a->begin >= a->size)
            low = middle + 1;
        else
            return a;
    }
    return NULL;
}

static void place_matrices(void) {
    for (size_t i = 0; i < launch.matrix_count; i++)
        free(launch.matrices[i].written);
    launch.matrix_count = 0;
    for (size_t i = 0; i < launch.declared_count; i++) {
        const struct cpu_device_matrix *d = &launch.declared[i];
        const struct memory_range *a = find_allocation((uintptr_t)d->begin);
        if (!a)
            continue; /* an empty matrix may lie nowhere */
        struct matrix *m = &launch.matrices[launch.matrix_count++];
        *m = (struct matrix){.given = *d,
                             .allocation = a->begin,
                             .allocation_size = a->size,
                             .row_bytes = (size_t)d->cols * d->element_size,
                             .pitch_bytes = (size_t)d->pitch * d->element_size};
        if (d->rows > 0 && d->cols > 0)
            m->extent = (size_t)(d->rows - 1) * m->pitch_bytes + m->row_bytes;
        if (d->unreadable && d->writable)
            m->written = calloc(m->extent / d->element_size + 1, sizeof *m->written);
    }
}

void check_begin_launch(const struct cpu_device_launch_config *config, const void *argument, size_t argument_size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_program);
    launch.config = config;
    free(launch.allocations);
    launch.allocations = cpu_device_list_allocations(&launch.allocation_count);
    launch.arena.begin = cpu_device_arena(&launch.arena.end);
    launch.argument = (struct program_range){(uintptr_t)argument, (uintptr_t)argument + argument_size};
    place_matrices();
}

static const char *last_kernel;

static const char *kernel_symbol(const struct cpu_device_launch_config *config) {
    const char *symbol = config->kernel_function ? program_function(config->kernel_function) : NULL;
    return symbol ? symbol : config->kernel_name;
}

void check_static_shared(const struct cpu_device_launch_config *config, size_t static_shared) {
    const size_t dynamic = config->dynamic_shared_size, both = static_shared + dynamic;
    const size_t limit = cpu_device_dynamic_shared_limit(config->kernel_function) > MAX_SHARED_WITHOUT_OPT_IN
                             ? MAX_SHARED_WITH_OPT_IN
                             : MAX_SHARED_WITHOUT_OPT_IN;
    if (static_shared <= MAX_SHARED_WITHOUT_OPT_IN && both > limit)
        check_refused_launch(
            config,
            "The launch asks for %zu bytes of dynamic shared memory beside %zu bytes of static arrays: %zu "
            "in all, of which a GPU refuses all above %zu%s.",
            dynamic, static_shared, both, limit,
            limit == MAX_SHARED_WITHOUT_OPT_IN ? " without cudaFuncSetAttribute" : "");
    if (static_shared > MAX_SHARED_WITHOUT_OPT_IN)
        check_refused_launch(
            config,
            "The kernel has static shared arrays of %zu bytes; nvcc refuses more than 48 KB. More is to be "
            "had as dynamic shared memory, extern __shared__, with cudaFuncSetAttribute.",
            static_shared);
}

void check_end_launch(const struct cpu_device_launch_config *config) {
    const unsigned room = atomic_exchange(&launch.log_room, 0);
    if (room)
        fprintf(stderr,
                "CPU device: kernel %s: a thread accesses shared memory more than %u times between two barriers; "
                "what comes after these is not compared with other threads.\n",
                config->kernel_name, room);
    last_kernel = kernel_symbol(config);
    finding_end_launch(launch.label, last_kernel, launch.announce);
}

void cpu_device_report_uninitialised(const char *text) {
    const struct finding_hit hit = {.kind = FINDING_UNINITIALISED};
    if (!launch.label || !last_kernel)
        return;
    if (finding_note(&hit))
        finding_tell("%s", text);
    finding_end_launch(launch.label, last_kernel, launch.announce);
}

void check_refused_launch(const struct cpu_device_launch_config *config, const char *format, ...) {
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const struct finding_hit hit = {.kind = FINDING_LAUNCH, .file = config->file, .line = config->line};
    if (finding_note(&hit))
        finding_tell("%s", sentence);
}

/* ---- One OS thread ---- */

static _Thread_local struct {
    struct block *block;
    struct race_log *log;
    uintptr_t shared;   /* begin of the thread-local data */
    size_t dynamic_end; /* offset of the end of the dynamic shared memory of this launch */
    unsigned thread;    /* that runs */
    uint32_t findings_of_thread[MAX_THREADS_PER_BLOCK]; /* in this block */
    bool damaged; /* threads of this block ended early: what their absence leads to is no finding of its own */
    struct memory_range last; /* the allocation without matrices that was touched last */
} own;

bool check_begin_thread(struct block *block) {
    if (!program.usable) {
        fprintf(stderr, "CPU device: the program's shared arrays, or its code, are too large to be checked.\n");
        return false;
    }
    if (!race_begin_thread(program.size, block->thread_count)) {
        fprintf(stderr, "CPU device: no memory for the checks.\n");
        return false;
    }
    own.block = block;
    own.log = race_thread_log();
    own.shared = program_thread_local().begin;
    own.dynamic_end = program.window + launch.config->dynamic_shared_size;
    own.last = (struct memory_range){0, 0};
    return true;
}

void check_end_thread(void) { race_end_thread(); }

void check_begin_block(const struct block *block) {
    race_begin_block(block);
    own.damaged = false;
    memset(own.findings_of_thread, 0, sizeof *own.findings_of_thread * block->thread_count);
}

void check_enter_thread(unsigned thread) { own.thread = thread; }

/* ---- Words ---- */

/* The shared array that holds the byte, or NULL. */
static const struct program_object *find_array(size_t offset) {
    for (size_t i = 0; i < program.array_count; i++)
        if (offset - program.arrays[i].offset < program.arrays[i].size)
            return &program.arrays[i];
    return NULL;
}

/* "As[1][0]", "best[3], byte 8", "byte 400 of the dynamic shared memory (element 100 of 4 bytes)", or, where the
   array's dimensions are not known, "byte 132 of shared array As". size: of the access. */
static void describe_shared(size_t offset, unsigned size, char *text, size_t text_size) {
    const struct program_object *array = find_array(offset);
    if (!array) {
        snprintf(text, text_size, "shared memory");
        return;
    }
    const size_t byte = offset - array->offset;
    struct shape shape;
    if (array->offset == program.window) {
        int length = snprintf(text, text_size, "byte %zu of the dynamic shared memory", byte);
        if (byte % size == 0 && (size_t)length < text_size)
            snprintf(text + length, text_size - (size_t)length, " (element %zu of %u bytes)", byte / size, size);
    } else if (!shape_of_shared(array->offset, &shape)) {
        const bool is_part = strchr(program_shared_object(array->offset).name, '.') != NULL; /* see demangle_variable */
        if (is_part)
            snprintf(text, text_size, "a part of shared variable %s", array->name);
        else
            snprintf(text, text_size, "byte %zu of shared array %s", byte, array->name);
    } else {
        snprintf(text, text_size, "%s", array->name);
        shape_add_indices(&shape, byte, text, text_size);
        const size_t length = strlen(text);
        if (size < shape.element_size)
            snprintf(text + length, text_size - length, ", byte %zu", byte % shape.element_size);
    }
}

/* "In block (0, 0, 0), thread (1, 0, 0)" */
static void describe_thread(char *text, size_t text_size) {
    const uint3 b = own.block->index, t = own.block->threads[own.thread].index;
    snprintf(text, text_size, "In block (%u, %u, %u), thread (%u, %u, %u)", b.x, b.y, b.z, t.x, t.y, t.z);
}

static uint32_t site_of(const void *place) { return (uint32_t)((uintptr_t)place - program.base); }

static struct finding_hit hit_of(enum finding_kind kind, const void *place) {
    return (struct finding_hit){.kind = kind,
                                .site = place ? site_of(place) : 0,
                                .block = own.block->number,
                                .order = (uint64_t)own.thread << 32 | own.findings_of_thread[own.thread]++};
}

static _Noreturn void end_thread(cudaError_t error) {
    own.damaged = true;
    cpu_device_end_thread(error);
}

/* ---- Illegal accesses ---- */

static _Noreturn void misaligned(uintptr_t address, unsigned operation, unsigned size, const void *place,
                                 const char *memory) {
    const struct finding_hit hit = hit_of(FINDING_MISALIGNED, place);
    if (finding_note(&hit)) {
        char who[120];
        describe_thread(who, sizeof who);
        finding_tell(
            "%s %s %u bytes of %s memory at once at {1}, but the address is no multiple of %u: it lies %u bytes behind "
            "one. %s. The thread ends here, which may hide more.",
            who, finding_verb(operation), size, memory, size, (unsigned)(address % size),
            strcmp(memory, "shared") == 0 ? "Check the index, and that each row begins on such an address"
                                          : "Check the pointer, the index and the leading dimension");
    }
    end_thread(cudaErrorMisalignedAddress);
}

static _Noreturn void out_of_bounds(unsigned operation, unsigned size, const void *place, const char *where) {
    const struct finding_hit hit = hit_of(FINDING_OUT_OF_BOUNDS, place);
    if (finding_note(&hit)) {
        char who[120];
        describe_thread(who, sizeof who);
        finding_tell("%s %s %u byte%s at {1}, %s. The thread ends here, which may hide more.", who,
                     finding_verb(operation), size, size == 1 ? "" : "s", where);
    }
    end_thread(cudaErrorIllegalAddress);
}

static _Noreturn void outside_shared(size_t offset, unsigned operation, unsigned size, const void *place) {
    char where[200];
    if (offset + size > own.dynamic_end && offset >= program.window && offset - program.window < MAX_SHARED_WITH_OPT_IN)
        snprintf(where, sizeof where,
                 "%zu bytes into the dynamic shared memory, of which the launch asks for %zu bytes",
                 offset - program.window, own.dynamic_end - program.window);
    else
        snprintf(where, sizeof where, "in no shared array");
    out_of_bounds(operation, size, place, where);
}

static void check_shared(size_t offset, unsigned operation, unsigned log2_size, const void *place) {
    const unsigned size = 1u << log2_size, number = program.owners[offset];
    if (number == GUARD)
        return;
    if (number == NO_ARRAY || offset + size > program.size || program.owners[offset + size - 1] != number ||
        (offset >= program.window && offset - program.window < MAX_SHARED_WITH_OPT_IN &&
         offset + size > own.dynamic_end))
        outside_shared(offset, operation, size, place);
    race_add(own.log, own.thread, race_make_entry(offset, site_of(place), operation, log2_size));
}

void check_index(const char *file, unsigned line, const char *array_type, int64_t index) {
    struct finding_hit hit = hit_of(FINDING_ARRAY_BOUNDS, NULL);
    hit.file = file;
    hit.line = line;
    if (finding_note(&hit)) {
        char who[120];
        describe_thread(who, sizeof who);
        finding_tell("%s uses the index %lld at {1} in an array of type %s. In a row of shared memory that would be an "
                     "element of the next row; in a register array, of another variable. The thread ends here, which "
                     "may hide more.",
                     who, (long long)index, array_type);
    }
    end_thread(cudaErrorIllegalAddress);
}

/* ---- Matrices ---- */

static const char *suffix_of(int64_t count) { return count == 1 ? "" : "s"; }

/* Where an access to the allocation of a matrix goes: "A[3][65]". */
static void describe_element(const struct matrix *m, int64_t from, char *text, size_t text_size) {
    const struct cpu_device_matrix *d = &m->given;
    const int64_t pitch = m->pitch_bytes ? (int64_t)m->pitch_bytes : 1;
    if (from < 0) {
        snprintf(text, text_size, "memory %lld bytes before %s", (long long)-from, d->name);
        return;
    }
    snprintf(text, text_size, "%s[%lld][%lld]", d->name, (long long)(from / pitch),
             (long long)(from % pitch / (int64_t)d->element_size));
}

static void outside_matrix(const struct matrix *m, int64_t from, unsigned operation, unsigned size, const void *place) {
    const struct finding_hit hit = hit_of(FINDING_OUTSIDE_MATRIX, place);
    if (!finding_note(&hit))
        return;
    char who[120], where[240];
    describe_thread(who, sizeof who);
    /* Of several elements, the first that does not belong to the matrix. */
    const int64_t step = (int64_t)m->given.element_size, pitch = m->pitch_bytes ? (int64_t)m->pitch_bytes : 1;
    int64_t at = from;
    while (at + step < from + (int64_t)size && at >= 0 && at % pitch < (int64_t)m->row_bytes && at < (int64_t)m->extent)
        at += step;
    describe_element(m, at, where, sizeof where);
    const struct cpu_device_matrix *d = &m->given;
    finding_tell("%s %s %s at {1}. %s has %lld row%s and %lld column%s%s.", who, finding_verb(operation), where,
                 d->name, (long long)d->rows, suffix_of(d->rows), (long long)d->cols, suffix_of(d->cols),
                 d->pitch > d->cols ? "; what lies between its rows is not part of it" : "");
}

static void forbidden_read(const struct matrix *m, const void *place) {
    const struct finding_hit hit = hit_of(FINDING_MUST_NOT_READ, place);
    if (!finding_note(&hit))
        return;
    char who[120];
    describe_thread(who, sizeof who);
    finding_tell("%s reads %s at {1} although %s: it may hold NaN, which even a factor of 0 does not remove.", who,
                 m->given.name, m->given.unreadable);
}

static void forbidden_write(const struct matrix *m, unsigned operation, const void *place) {
    const struct finding_hit hit = hit_of(FINDING_OUTSIDE_MATRIX, place);
    if (!finding_note(&hit))
        return;
    char who[120];
    describe_thread(who, sizeof who);
    finding_tell("%s %s an element of %s at {1}, which is an input.", who, finding_verb(operation), m->given.name);
}

/* A kernel may read back what it has written itself. */
static void mark_written(const struct matrix *m, size_t from, unsigned size) {
    for (size_t at = from; m->written && at < from + size; at += m->given.element_size)
        atomic_store_explicit(&m->written[at / m->given.element_size], true, memory_order_relaxed);
}

static bool is_written(const struct matrix *m, size_t from, unsigned size) {
    bool all = m->written != NULL;
    for (size_t at = from; all && at < from + size; at += m->given.element_size)
        all = atomic_load_explicit(&m->written[at / m->given.element_size], memory_order_relaxed);
    return all;
}

static bool is_element(const struct matrix *m, size_t from, unsigned size) {
    return from < m->extent && size <= m->extent - from &&
           (m->row_bytes == m->pitch_bytes || from % m->pitch_bytes + size <= m->row_bytes);
}

static void check_matrix(const struct matrix *m, uintptr_t address, unsigned operation, unsigned size,
                         const void *place) {
    const size_t from = address - (uintptr_t)m->given.begin; /* huge when it is before the matrix */
    if (!is_element(m, from, size))
        outside_matrix(m, (int64_t)from, operation, size, place);
    else if (operation != CPU_DEVICE_LOAD && !m->given.writable)
        forbidden_write(m, operation, place);
    else if (operation != CPU_DEVICE_LOAD)
        mark_written(m, from, size);
    else if (m->given.unreadable && !is_written(m, from, size))
        forbidden_read(m, place);
}

/* ---- Global memory ---- */

static void check_arena(uintptr_t address, unsigned operation, unsigned size, const void *place) {
    for (size_t i = 0; i < launch.matrix_count; i++) {
        const struct matrix *m = &launch.matrices[i];
        if (address - m->allocation < m->allocation_size && size <= m->allocation_size - (address - m->allocation)) {
            check_matrix(m, address, operation, size, place);
            return;
        }
    }
    if (address - own.last.begin >= own.last.size) {
        const struct memory_range *a = find_allocation(address);
        own.last = a ? *a : (struct memory_range){0, 0};
    }
    if (own.last.size && size <= own.last.size - (address - own.last.begin))
        return;
    char where[200];
    if (own.last.size) {
        const size_t left = own.last.size - (address - own.last.begin);
        snprintf(where, sizeof where, "begin %zu byte%s before the end of an allocation of %zu bytes", left,
                 suffix_of((int64_t)left), own.last.size);
    } else {
        cpu_device_describe_address((const void *)address, where, sizeof where);
    }
    out_of_bounds(operation, size, place, where);
}

/* Neither shared nor device memory. A kernel's arguments are read from where the launch keeps them; constants and
   variables of the program are its own. */
static void check_host(uintptr_t address, unsigned operation, unsigned log2_size, const void *place) {
    const unsigned size = 1u << log2_size;
    if (!is_in(&program.image, address) && !is_in(&launch.argument, address) && !cpu_device_is_pinned(address, size))
        out_of_bounds(operation, size, place,
                      address < 4096 ? "at a null pointer"
                                     : "in host memory: a kernel needs a pointer from cudaMalloc");
    if (address & (size - 1))
        misaligned(address, operation, size, place, "global");
}

void check_access(uintptr_t address, unsigned operation, unsigned log2_size, const void *place) {
    const unsigned size = 1u << log2_size;
    const size_t offset = address - own.shared;
    if (offset < program.size) {
        if (address & (size - 1))
            misaligned(address, operation, size, place, "shared");
        check_shared(offset, operation, log2_size, place);
    } else if (is_in(&launch.arena, address)) {
        if (address & (size - 1))
            misaligned(address, operation, size, place, "global");
        check_arena(address, operation, size, place);
    } else {
        check_host(address, operation, log2_size, place);
    }
}

/* ---- Warp functions ---- */

static _Noreturn void end_with(enum finding_kind kind, const char *sentence, const void *place, cudaError_t error) {
    const struct finding_hit hit = hit_of(kind, place);
    if (finding_note(&hit)) {
        char who[120];
        describe_thread(who, sizeof who);
        finding_tell("%s: at {1} %s", who, sentence);
    }
    end_thread(error);
}

void check_missing_lanes(uint32_t missing, const void *place) {
    char sentence[200];
    snprintf(sentence, sizeof sentence,
             "a whole warp has to come, but the lanes 0x%08x have ended before or do not exist. Give blocks whole "
             "warps, and let a warp return as a whole.",
             missing);
    end_with(FINDING_MISSING_LANES, sentence, place, cudaErrorLaunchFailure);
}

void check_wmma(const char *sentence, const void *place) {
    end_with(FINDING_MISALIGNED, sentence, place, cudaErrorMisalignedAddress);
}

/* ---- cp.async ---- */

void check_async(const void *to, const void *from, unsigned size, unsigned source_size, const void *place) {
    const unsigned log2_size = (unsigned)__builtin_ctz(size);
    /* The source must be aligned to the whole size; what is read of it may be less. */
    if ((uintptr_t)from & (size - 1) && source_size > 0)
        misaligned((uintptr_t)from, CPU_DEVICE_LOAD, size, place, "global");
    for (unsigned at = 0; at < source_size;) {
        const unsigned left = source_size - at,
                       log2_piece = 31u - (unsigned)__builtin_clz(left & -left ? left & -left : 1);
        check_access((uintptr_t)from + at, CPU_DEVICE_LOAD, log2_piece, place);
        at += 1u << log2_piece;
    }
    check_access((uintptr_t)to, CPU_DEVICE_ASYNC, log2_size, place);
}

void check_landing(uintptr_t to, unsigned log2_size, const void *place) {
    race_add(own.log, own.thread, race_make_landing(to - own.shared, site_of(place), log2_size));
}

/* ---- Barriers ---- */

/* Threads at a barrier are compared with the first of them. */
static void check_divergence(const struct block *block) {
    const struct cuda_thread *first = NULL;
    for (unsigned t = 0; t < block->thread_count; t++) {
        const struct cuda_thread *thread = &block->threads[t];
        if (!(block->warps[thread->warp].at_barrier >> thread->lane & 1))
            continue;
        if (!first)
            first = thread;
        if (thread->place == first->place)
            continue;
        const bool swap = (uintptr_t)thread->place < (uintptr_t)first->place;
        const struct cuda_thread *a = swap ? thread : first, *b = swap ? first : thread;
        const struct finding_hit hit = {.kind = FINDING_DIVERGENT_BARRIER,
                                        .site = site_of(a->place),
                                        .other_site = site_of(b->place),
                                        .block = block->number,
                                        .order = t};
        if (!finding_note(&hit))
            continue;
        const uint3 n = block->index, i = a->index, j = b->index;
        finding_tell(
            "In block (%u, %u, %u), thread (%u, %u, %u) waits at the __syncthreads() at {1} while thread "
            "(%u, %u, %u) waits at another one, at {2}. Every thread must come to the same barrier: move it out "
            "of the branch, or of the loop whose length differs between threads.",
            n.x, n.y, n.z, i.x, i.y, i.z, j.x, j.y, j.z);
    }
}

static bool may_hold_padding(size_t offset, unsigned size) {
    const struct program_object *array = find_array(offset);
    struct shape shape;
    if (!array || array->offset == program.window || !shape_of_shared(array->offset, &shape))
        return size > 4; /* of a type that is not known */
    return size > 4 && size <= shape.element_size;
}

static const struct race_names names = {describe_shared, may_hold_padding};

static void end_interval(const struct block *block) {
    if (own.log->overflowed)
        atomic_store(&launch.log_room, own.log->room);
    if (own.damaged)
        race_drop_interval(block);
    else
        race_end_interval(block, &names);
}

void check_barrier(const struct block *block) {
    if (!own.damaged)
        check_divergence(block);
    end_interval(block);
}

void check_end_block(const struct block *block) { end_interval(block); }

void check_stop_block(void) { own.damaged = true; }

void check_deadlock(const struct block *block, const struct cuda_thread *example, uint32_t missing) {
    if (own.damaged)
        return;
    const struct cuda_thread *waiting = NULL;
    for (unsigned t = 0; t < block->thread_count && !waiting; t++)
        if (block->warps[t / WARP_SIZE].at_barrier >> t % WARP_SIZE & 1)
            waiting = &block->threads[t];
    const struct cuda_thread *first = waiting ? waiting : example;
    if (!first)
        return;
    const struct finding_hit hit = {.kind = FINDING_DEADLOCK,
                                    .site = site_of(first->place),
                                    .other_site = waiting && example ? site_of(example->place) : 0,
                                    .block = block->number};
    if (!finding_note(&hit))
        return;
    const uint3 b = block->index;
    if (waiting && example)
        finding_tell(
            "In block (%u, %u, %u) no thread can go on: %u of %u wait at __syncthreads() at {1}, and lane %u of "
            "warp %u waits in a warp function at {2} for the lanes 0x%08x, which never come.",
            b.x, b.y, b.z, block->barrier.arrived, block->live, example->lane, example->warp, missing);
    else
        finding_tell(
            "In block (%u, %u, %u) no thread can go on: lane %u of warp %u waits in a warp function at {1} for "
            "the lanes 0x%08x, which never come.",
            b.x, b.y, b.z, first->lane, first->warp, missing);
}

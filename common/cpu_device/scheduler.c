#define _GNU_SOURCE
#include "scheduler.h"

#include "async.h"
#include "check.h"
#include "count.h"
#include "demangle.h"
#include "fault.h"
#include "fiber.h"
#include "program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What a CUDA thread has at least for its local variables: together with a guard page of 4 KiB, 64 KiB. Pages that are
   never touched cost nothing. */
#define LEAST_STACK_SIZE ((size_t)60 << 10)
/* Each guard splits a mapping, and Linux allows 65530 mappings in a process; above this many, stacks go without. */
#define MAX_GUARDS 16384
/* Tops of stacks that lie a multiple of 4 KiB apart would compete for the same lines of the L1 cache. */
#define STACK_COLOURS 16
#define STACK_COLOUR_STEP ((size_t)256)

/* The dynamic shared window. Kernels declare it as extern __shared__ __align__(1024) unsigned char smem[]. */
_Alignas(1024) _Thread_local unsigned char smem[MAX_SHARED_WITH_OPT_IN];

static _Thread_local struct block *own_block;

struct block *cpu_device_current_block(void) {
    return own_block;
}

void cpu_device_fence(void) { atomic_thread_fence(memory_order_seq_cst); }

uint3 cpu_device_thread_index(void) { return own_block->current->index; }
uint3 cpu_device_block_index(void) { return own_block->index; }
uint3 cpu_device_block_dim(void) { return own_block->grid->config->block; }
uint3 cpu_device_grid_dim(void) { return own_block->grid->config->grid; }

size_t cpu_device_shared_window(void) { return (uintptr_t)smem - program_thread_local().begin; }

uint32_t cpu_device_shared_address(const void *pointer) { return (uint32_t)((uintptr_t)pointer - (uintptr_t)smem); }

/* ---- Fibers ---- */

static char *stack_of_fiber(const struct block *block, size_t number) {
    return block->stacks + number * block->stack_size;
}

static char *top_of_fiber(const struct block *block, size_t number) {
    return stack_of_fiber(block, number) + block->stack_size - number % STACK_COLOURS * STACK_COLOUR_STEP;
}

static size_t stacks_size(const struct block *block) { return block->stack_size * MAX_THREADS_PER_BLOCK; }

char *cpu_device_stack_top(const struct block *block) {
    return top_of_fiber(block, (size_t)(block->current->fiber - block->fibers));
}

bool cpu_device_is_stack_guard(const struct block *block, const void *address) {
    uintptr_t offset = (uintptr_t)address - (uintptr_t)block->stacks;
    return offset < stacks_size(block) && offset % block->stack_size < block->guard_size;
}

/* ---- Around a run of a thread ---- */

static void enter_thread(struct block *block, struct cuda_thread *thread) {
    block->current = thread;
    if (block->grid->tally)
        count_enter_lane(thread->lane);
    if (block->grid->checked)
        check_enter_thread((unsigned)(thread - block->threads));
}

static void leave_thread(struct block *block) {
    if (block->grid->tally)
        count_leave_lane(block->current->lane);
    block->current = NULL;
}

static void finish_thread(struct block *block) {
    struct cuda_thread *thread = block->current;
    struct warp *warp = &block->warps[thread->warp];
    warp->runnable &= ~(1u << thread->lane);
    warp->exited |= 1u << thread->lane;
    thread->fiber = NULL;
    block->live--;
    if (warp->open_meetings)
        cpu_device_settle_meetings(block, thread->warp);
}

static struct cuda_thread *next_thread(struct block *block, unsigned warp_number) {
    unsigned runnable = block->warps[warp_number].runnable;
    if (!runnable)
        return NULL;
    unsigned lane =
        block->grid->descending ? 31u - (unsigned)__builtin_clz(runnable) : (unsigned)__builtin_ctz(runnable);
    return &block->threads[warp_number * WARP_SIZE + lane];
}

/* Runs threads one after the other, as long as the next one to run has not started yet. */
static void fiber_main(void) {
    struct block *block = own_block;
    for (;;) {
        struct fiber *fiber = block->current->fiber;
        unsigned warp = block->current->warp;
        block->grid->run_thread(block->grid->argument);
        finish_thread(block);
        struct cuda_thread *next = next_thread(block, warp);
        if (next && !next->fiber && !block->failed) {
            next->fiber = fiber;
            leave_thread(block);
            enter_thread(block, next);
            continue;
        }
        fiber->next_idle = block->idle_fibers;
        block->idle_fibers = fiber;
        cpu_device_fiber_switch(&fiber->stack_pointer, block->scheduler_stack_pointer);
    }
}

static struct fiber *take_fiber(struct block *block) {
    static atomic_uint guards;
    struct fiber *fiber = block->idle_fibers;
    if (fiber) {
        block->idle_fibers = fiber->next_idle;
        return fiber;
    }
    unsigned number = block->fiber_count++;
    fiber = &block->fibers[number];
    char *stack = stack_of_fiber(block, number);
    if (atomic_load(&guards) < MAX_GUARDS && mprotect(stack, block->guard_size, PROT_NONE) == 0)
        atomic_fetch_add(&guards, 1);
    fiber->stack_pointer = cpu_device_fiber_prepare(top_of_fiber(block, number), fiber_main);
    return fiber;
}

/* Of several errors the launch returns the one with the lowest number, so that it does not depend on the order in which
   threads run. */
static void keep_error(struct grid *grid, cudaError_t error) {
    cudaError_t kept = atomic_load(&grid->error);
    while ((kept == cudaSuccess || error < kept) && !atomic_compare_exchange_weak(&grid->error, &kept, error))
        continue;
}

/* The fiber starts anew with the next thread. Its own frames, which lie where a new one begins, are left for good. */
_Noreturn void cpu_device_end_thread(cudaError_t error) {
    struct block *block = own_block;
    struct fiber *fiber = block->current->fiber;
    void *abandoned;
    finish_thread(block);
    keep_error(block->grid, error);
    fiber->stack_pointer = cpu_device_fiber_prepare(top_of_fiber(block, (size_t)(fiber - block->fibers)), fiber_main);
    fiber->next_idle = block->idle_fibers;
    block->idle_fibers = fiber;
    cpu_device_fiber_switch(&abandoned, block->scheduler_stack_pointer);
    abort(); /* nobody switches back */
}

static void report_fault(struct block *block);

static void resume(struct block *block, struct cuda_thread *thread) {
    if (!thread->fiber)
        thread->fiber = take_fiber(block);
    enter_thread(block, thread);
    cpu_device_fiber_switch(&block->scheduler_stack_pointer, thread->fiber->stack_pointer);
    if (block->fault.signal)
        report_fault(block);
    leave_thread(block);
}

void cpu_device_suspend(struct block *block) {
    cpu_device_fiber_switch(&block->current->fiber->stack_pointer, block->scheduler_stack_pointer);
}

/* Called by a thread while it is counted. Its log is empty when it comes back. */
void cpu_device_log_is_full(void) {
    struct block *block = own_block;
    struct cuda_thread *thread = block->current;
    struct warp *warp = &block->warps[thread->warp];
    warp->runnable &= ~(1u << thread->lane);
    warp->log_full |= 1u << thread->lane;
    cpu_device_suspend(block);
}

/* ---- The barrier of the block ---- */

unsigned cpu_device_barrier(int predicate, unsigned *participants) {
    struct block *block = own_block;
    struct cuda_thread *thread = block->current;
    struct warp *warp = &block->warps[thread->warp];
    thread->place = __builtin_return_address(0);
    warp->runnable &= ~(1u << thread->lane);
    warp->at_barrier |= 1u << thread->lane;
    block->barrier.arrived++;
    block->barrier.nonzero += predicate != 0;
    cpu_device_suspend(block);
    if (participants)
        *participants = block->barrier.released_arrived;
    return block->barrier.released_nonzero;
}

/* Threads that have exited count as arrived, as on the hardware. */
static bool release_barrier(struct block *block) {
    if (block->barrier.arrived == 0 || block->barrier.arrived < block->live)
        return false;
    if (block->grid->checked)
        check_barrier(block);
    block->barrier.released_arrived = block->barrier.arrived;
    block->barrier.released_nonzero = block->barrier.nonzero;
    block->barrier.arrived = block->barrier.nonzero = 0;
    for (unsigned w = 0; w < block->warp_count; w++) {
        block->warps[w].runnable |= block->warps[w].at_barrier;
        block->warps[w].at_barrier = 0;
    }
    if (block->grid->tally)
        count_barrier();
    return true;
}

/* ---- Failure ---- */

/* False when it had failed before. */
static bool fail_grid(struct grid *grid, cudaError_t error) {
    if (atomic_exchange(&grid->failed, true))
        return false;
    atomic_store(&grid->error, error);
    return true;
}

void cpu_device_fail_block(struct block *block, cudaError_t error, const char *format, ...) {
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    block->failed = true;
    if (block->grid->checked)
        check_stop_block();
    /* Other blocks of the grid are likely to fail in the same way; one sentence is enough. */
    if (!fail_grid(block->grid, error))
        return;
    /* The launch may have called it by a variable's name. */
    const struct cpu_device_launch_config *config = block->grid->config;
    const char *symbol = config->kernel_function ? program_function(config->kernel_function) : NULL;
    char *name = symbol ? demangle_short(symbol) : NULL;
    fprintf(stderr, "CPU device: kernel %s, block (%u, %u, %u): %s\n", name ? name : config->kernel_name,
            block->index.x, block->index.y, block->index.z, sentence);
    free(name);
}

/* The source line of a return address. */
static struct program_place place_of(const void *return_address) {
    const uint32_t address = (uint32_t)((uintptr_t)return_address - program_base());
    const struct program_range image = program_image();
    struct program_place place = {"?", 0};
    if ((uintptr_t)return_address < image.begin || (uintptr_t)return_address >= image.end)
        return place; /* a library's function */
    program_places(&address, 1, &place);
    return place;
}

/* A thread of the block has met a signal, and the scheduler is back. */
static void report_fault(struct block *block) {
    char reason[256];
    const cudaError_t error = cpu_device_describe_fault(block, reason, sizeof reason);
    const struct program_place at = place_of((const char *)block->fault.program_counter + 1);
    const uint3 t = block->current->index;
    block->fault.signal = 0;
    if (at.line > 0)
        cpu_device_fail_block(block, error, "thread (%u, %u, %u), %s:%u: %s.", t.x, t.y, t.z, at.file, at.line, reason);
    else
        cpu_device_fail_block(block, error, "thread (%u, %u, %u): %s.", t.x, t.y, t.z, reason);
}

/* The first lane of the warp that waits in a meeting; `missing` are the lanes that it waits for. NULL: there is none.
 */
static const struct cuda_thread *first_in_meeting(const struct block *block, unsigned w, unsigned *missing) {
    const struct warp *warp = &block->warps[w];
    const struct meeting *first = NULL;
    for (unsigned left = warp->open_meetings; left; left &= left - 1) {
        const struct meeting *meeting = &warp->meetings[__builtin_ctz(left)];
        if (!first || __builtin_ctz(meeting->arrived) < __builtin_ctz(first->arrived))
            first = meeting;
    }
    if (!first)
        return NULL;
    *missing = first->mask & ~first->arrived & ~warp->exited;
    return &block->threads[w * WARP_SIZE + (unsigned)__builtin_ctz(first->arrived)];
}

static void report_deadlock(struct block *block) {
    unsigned at_barrier = block->barrier.arrived, in_warp = block->live - at_barrier;
    const struct cuda_thread *example = NULL;
    unsigned missing = 0;
    for (unsigned w = 0; w < block->warp_count && !example; w++)
        example = first_in_meeting(block, w, &missing);
    if (block->grid->checked) {
        check_deadlock(block, example, missing);
        keep_error(block->grid, cudaErrorLaunchFailure);
        block->failed = true;
        return;
    }
    char detail[300] = "";
    if (example) {
        const struct program_place at = place_of(example->place);
        snprintf(detail, sizeof detail, " (lane %u of warp %u, for one, waits for lanes 0x%08x at %s:%u)",
                 example->lane, example->warp, missing, at.file, at.line);
    }
    cpu_device_fail_block(
        block, cudaErrorLaunchFailure,
        "deadlock: %u of %u threads wait at __syncthreads, %u in a warp function%s, and none can go on.", at_barrier,
        block->live, in_warp, detail);
}

/* ---- Blocks ---- */

/* Called when no thread of the block can run. Returns whether that has changed. */
static bool make_progress(struct block *block) {
    if (release_barrier(block))
        return true;
    report_deadlock(block);
    return false;
}

/* When no thread of the warp can go on. Returns whether some can, now that their logs are empty. */
static bool flush_logs(struct block *block, unsigned warp_number) {
    if (!block->grid->tally)
        return false;
    count_flush_warp();
    struct warp *warp = &block->warps[warp_number];
    warp->runnable |= warp->log_full;
    warp->log_full = 0;
    return warp->runnable != 0;
}

static void run_warps(struct block *block) {
    for (unsigned i = 0; i < block->warp_count; i++) {
        unsigned w = block->grid->descending ? block->warp_count - 1 - i : i;
        do {
            struct cuda_thread *thread;
            while (!block->failed && (thread = next_thread(block, w)))
                resume(block, thread);
        } while (!block->failed && flush_logs(block, w));
    }
}

static void start_block(struct block *block, uint64_t number) {
    const struct cpu_device_launch_config *config = block->grid->config;
    block->number = number;
    block->index.x = (unsigned)(number % config->grid.x);
    block->index.y = (unsigned)(number / config->grid.x % config->grid.y);
    block->index.z = (unsigned)(number / config->grid.x / config->grid.y);
    block->live = block->thread_count;
    for (unsigned w = 0; w < block->warp_count; w++) {
        unsigned left = block->thread_count - w * WARP_SIZE;
        unsigned present = left >= WARP_SIZE ? ~0u : (1u << left) - 1;
        block->warps[w].runnable = present;
        block->warps[w].exited = ~present;
    }
    async_begin_block();
    /* All ones are NaN in every floating-point format: what nobody wrote shows. */
    memset(smem, 0xff, config->dynamic_shared_size);
}

static void run_block(struct block *block, uint64_t number) {
    start_block(block, number);
    if (block->grid->tally)
        count_begin_block();
    if (block->grid->checked)
        check_begin_block(block);
    run_warps(block);
    while (block->live > 0 && !block->failed && make_progress(block))
        run_warps(block);
    if (block->grid->checked)
        check_end_block(block);
}

static void enter_grid(struct block *block, struct grid *grid) {
    uint3 size = grid->config->block;
    block->grid = grid;
    block->thread_count = size.x * size.y * size.z;
    block->warp_count = (block->thread_count + WARP_SIZE - 1) / WARP_SIZE;
    for (unsigned t = 0; t < block->thread_count; t++)
        block->threads[t] = (struct cuda_thread){
            .index = {t % size.x, t / size.x % size.y, t / (size.x * size.y)},
            .warp = (uint16_t)(t / WARP_SIZE),
            .lane = (uint16_t)(t % WARP_SIZE),
        };
}

/* A failed block leaves threads in the middle of the kernel. Their fibers are prepared anew, from the first one. */
static void abandon_block(struct block *block) {
    block->failed = false;
    block->fiber_count = 0;
    block->idle_fibers = NULL;
    for (unsigned t = 0; t < block->thread_count; t++)
        block->threads[t].fiber = NULL; /* the next block begins */
    memset(&block->barrier, 0, sizeof block->barrier);
    memset(block->warps, 0, sizeof block->warps);
}

static struct block *create_block(void) {
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    /* Pages of AArch64 systems have 4, 16 or 64 KiB. */
    long page = sysconf(_SC_PAGESIZE);
    block->guard_size = page > 0 ? (size_t)page : 4096;
    block->stack_size = (LEAST_STACK_SIZE + 2 * block->guard_size - 1) / block->guard_size * block->guard_size;
    void *stacks = mmap(NULL, stacks_size(block), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stacks == MAP_FAILED) {
        free(block);
        return NULL;
    }
    block->stacks = stacks;
    return block;
}

static void take_blocks(struct block *block, struct grid *grid) {
    while (!atomic_load_explicit(&grid->failed, memory_order_relaxed)) {
        uint64_t number = atomic_fetch_add(&grid->next_block, 1);
        if (number >= grid->block_count)
            break;
        run_block(block, number);
        if (block->failed)
            abandon_block(block);
    }
}

static void take_and_count_blocks(struct block *block, struct grid *grid) {
    const bool counted = count_begin_thread(block->stacks, stacks_size(block), grid->checked);
    if (!counted)
        fprintf(stderr, "CPU device: no memory for counting.\n");
    if (!counted || (grid->checked && !check_begin_thread(block))) {
        fail_grid(grid, cudaErrorLaunchFailure);
        return;
    }
    take_blocks(block, grid);
    count_end_thread(grid->tally);
    if (grid->checked)
        check_end_thread();
}

void cpu_device_run_blocks(struct grid *grid) {
    if (!own_block)
        own_block = create_block();
    if (!own_block || !cpu_device_prepare_thread_for_faults()) {
        fprintf(stderr, "CPU device: no memory for the stacks of a block.\n");
        fail_grid(grid, cudaErrorLaunchFailure);
        return;
    }
    struct block *block = own_block;
    enter_grid(block, grid);
    if (grid->tally)
        take_and_count_blocks(block, grid);
    else
        take_blocks(block, grid);
    block->grid = NULL;
}

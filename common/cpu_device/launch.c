/* From <<<>>> to a grid: refuse what the hardware would refuse, then share the blocks out. */
#define _GNU_SOURCE
#include "bounds.h"
#include "check.h"
#include "count.h"
#include "counted_program.h"
#include "device.h"
#include "error.h"
#include "fault.h"
#include "pool.h"
#include "scheduler.h"
#include "tally.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One grid at a time: the OS threads are the device. */
static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;

static cudaError_t check_config(const struct cpu_device_launch_config *config) {
    uint3 grid = config->grid, block = config->block;
    if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > MAX_THREADS_PER_BLOCK ||
        block.y > MAX_THREADS_PER_BLOCK || block.z > MAX_BLOCK_DIM_Z ||
        (uint64_t)block.x * block.y * block.z > MAX_THREADS_PER_BLOCK)
        return cudaErrorInvalidConfiguration;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > MAX_GRID_DIM_X || grid.y > MAX_GRID_DIM_YZ ||
        grid.z > MAX_GRID_DIM_YZ)
        return cudaErrorInvalidConfiguration;
    if (config->dynamic_shared_size > cpu_device_dynamic_shared_limit(config->kernel_function))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* What the error code leaves open: which limit, and what to do. */
static void explain_refusal(const struct cpu_device_launch_config *config) {
    uint3 grid = config->grid, block = config->block;
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const size_t limit = cpu_device_dynamic_shared_limit(config->kernel_function);
    if (threads == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0)
        check_refused_launch(config,
                             "The launch is refused: a grid of (%u, %u, %u) blocks of (%u, %u, %u) threads is "
                             "empty; every number must be at least 1.",
                             grid.x, grid.y, grid.z, block.x, block.y, block.z);
    else if (threads > MAX_THREADS_PER_BLOCK || block.z > MAX_BLOCK_DIM_Z)
        check_refused_launch(config,
                             "The launch is refused: a block of (%u, %u, %u) has %llu threads; it may have %d, and "
                             "%d in z.",
                             block.x, block.y, block.z, (unsigned long long)threads, MAX_THREADS_PER_BLOCK,
                             MAX_BLOCK_DIM_Z);
    else if (grid.x > MAX_GRID_DIM_X || grid.y > MAX_GRID_DIM_YZ || grid.z > MAX_GRID_DIM_YZ)
        check_refused_launch(config, "The launch is refused: the grid is (%u, %u, %u); x may be %u, y and z %u.",
                             grid.x, grid.y, grid.z, MAX_GRID_DIM_X, MAX_GRID_DIM_YZ);
    else if (config->dynamic_shared_size > MAX_SHARED_WITH_OPT_IN)
        check_refused_launch(config,
                             "The launch is refused: it asks for %zu bytes of dynamic shared memory; a block may "
                             "have %zu at most on an H100 or H200, and less on older GPUs.",
                             config->dynamic_shared_size, MAX_SHARED_WITH_OPT_IN);
    else
        check_refused_launch(config,
                             "The launch is refused: it asks for %zu bytes of dynamic shared memory, but this "
                             "kernel may have %zu. More than 48 KB must be allowed first: cudaFuncSetAttribute(kernel, "
                             "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes).",
                             config->dynamic_shared_size, limit);
}

static bool order_is_descending(void) {
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const char *order = getenv("CPU_DEVICE_ORDER");
    const bool reverse = order && strcmp(order, "reverse") == 0;
    if (order && *order && !reverse && strcmp(order, "ascending") != 0 && !atomic_flag_test_and_set(&told))
        fprintf(stderr, "CPU device: CPU_DEVICE_ORDER=%s is neither ascending nor reverse; using ascending.\n", order);
    return reverse;
}

static void work_on_grid(void *grid) { cpu_device_run_blocks(grid); }

static bool inside_kernel(void) {
    const struct block *block = cpu_device_current_block();
    return block && block->current;
}

/* What the C library's assert says and does. */
static _Noreturn void assertion_failed_on_host(const char *condition, const char *file, int line,
                                               const char *function) {
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: Assertion `%s' failed.\n", file, line, function, condition);
    abort();
}

cudaError_t cpu_device_launch(const struct cpu_device_launch_config *config, void (*run_thread)(void *argument),
                              void *argument, size_t argument_size) {
    if (cpu_device_sticky_error() != cudaSuccess)
        return cpu_device_sticky_error();
    if (inside_kernel())
        return cpu_device_result(cudaErrorNotSupported);
    cudaError_t error = check_config(config);
    counted_program_begin();
    const bool checked = check_is_on();
    if (error != cudaSuccess) {
        if (checked) {
            pthread_mutex_lock(&device_lock);
            explain_refusal(config);
            check_end_launch(config);
            pthread_mutex_unlock(&device_lock);
        }
        return cpu_device_result(error);
    }

    struct grid grid = {
        .config = config,
        .run_thread = run_thread,
        .argument = argument,
        .descending = order_is_descending(),
        .block_count = (uint64_t)config->grid.x * config->grid.y * config->grid.z,
    };
    unsigned workers = cpu_device_thread_count();
    if (workers > grid.block_count)
        workers = (unsigned)grid.block_count;
    pthread_mutex_lock(&device_lock);
    grid.tally = count_begin_launch(config, checked);
    grid.checked = checked && grid.tally;
    if (grid.checked)
        check_begin_launch(config, argument, argument_size);
    cpu_device_catch_faults();
    cpu_device_pool_run(workers, work_on_grid, &grid);
    cpu_device_release_faults();
    if (grid.tally)
        tally_end_launch(grid.tally, atomic_load(&grid.error) != cudaSuccess);
    if (grid.checked) {
        check_static_shared(config, tally_static_shared(grid.tally));
        check_end_launch(config);
    }
    pthread_mutex_unlock(&device_lock);
    error = atomic_load(&grid.error);
    if (error != cudaSuccess && !grid.checked && !atomic_load(&grid.refused))
        cpu_device_set_sticky_error(error);
    return grid.checked ? cpu_device_launch_result(error) : cpu_device_result(error);
}

/* ---- Stopping from inside a kernel ---- */

void cpu_device_assertion_failed(const char *condition, const char *file, int line, const char *function) {
    if (!inside_kernel())
        assertion_failed_on_host(condition, file, line, function);
    struct block *block = cpu_device_current_block();
    uint3 t = block->current->index;
    cpu_device_fail_block(block, cudaErrorAssert, "thread (%u, %u, %u): %s:%d: %s: assertion `%s' failed.", t.x, t.y,
                          t.z, file, line, function, condition);
    cpu_device_suspend(block);
    abort(); /* a failed block is never resumed */
}

void cpu_device_trap(void) {
    struct block *block = cpu_device_current_block();
    uint3 t = block->current->index;
    cpu_device_fail_block(block, cudaErrorLaunchFailure, "thread (%u, %u, %u) calls __trap().", t.x, t.y, t.z);
    cpu_device_suspend(block);
    abort();
}

void cpu_device_check_launch_bounds(unsigned max_threads) {
    struct block *block = cpu_device_current_block();
    if (block->thread_count <= max_threads)
        return;
    const struct cpu_device_launch_config *config = block->grid->config;
    if (block->grid->checked && !atomic_exchange(&block->grid->refused, true))
        check_refused_launch(config,
                             "The launch is refused: its blocks have %u threads, but __launch_bounds__ promises %u at "
                             "most, and nvcc gives each thread the registers of that many.",
                             block->thread_count, max_threads);
    atomic_store(&block->grid->refused, true);
    cpu_device_end_thread(cudaErrorInvalidValue);
}

void cpu_device_index_out_of_bounds(const char *file, unsigned line, const char *array_type, int64_t index) {
    if (!inside_kernel()) {
        fprintf(stderr, "%s:%u: the index %lld is outside an array of type %s.\n", file, line, (long long)index,
                array_type);
        return;
    }
    struct block *block = cpu_device_current_block();
    if (block->grid->checked)
        check_index(file, line, array_type, index);
    const uint3 t = block->current->index;
    const char *slash = strrchr(file, '/');
    cpu_device_fail_block(block, cudaErrorIllegalAddress,
                          "thread (%u, %u, %u), %s:%u: the index %lld is outside an array of type %s.", t.x, t.y, t.z,
                          slash ? slash + 1 : file, line, (long long)index, array_type);
    cpu_device_suspend(block);
    abort(); /* a failed block is never resumed */
}

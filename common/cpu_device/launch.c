/* From <<<>>> to a grid: refuse what the hardware would refuse, then share the blocks out. */
#define _GNU_SOURCE
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

static bool order_is_descending(void) {
    const char *order = getenv("CPU_DEVICE_ORDER");
    return order && strcmp(order, "reverse") == 0;
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
                              void *argument) {
    if (cpu_device_sticky_error() != cudaSuccess)
        return cpu_device_sticky_error();
    if (inside_kernel())
        return cpu_device_result(cudaErrorNotSupported);
    cudaError_t error = check_config(config);
    if (error != cudaSuccess)
        return cpu_device_result(error);

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
    counted_program_begin();
    grid.tally = count_begin_launch(config);
    cpu_device_catch_faults();
    cpu_device_pool_run(workers, work_on_grid, &grid);
    cpu_device_release_faults();
    if (grid.tally)
        tally_end_launch(grid.tally, atomic_load(&grid.failed));
    pthread_mutex_unlock(&device_lock);
    if (atomic_load(&grid.failed))
        cpu_device_set_sticky_error(atomic_load(&grid.assertion_failed) ? cudaErrorAssert : cudaErrorLaunchFailure);
    return cpu_device_result(cudaSuccess);
}

/* ---- Stopping from inside a kernel ---- */

void cpu_device_assertion_failed(const char *condition, const char *file, int line, const char *function) {
    if (!inside_kernel())
        assertion_failed_on_host(condition, file, line, function);
    struct block *block = cpu_device_current_block();
    uint3 t = block->current->index;
    atomic_store(&block->grid->assertion_failed, true);
    cpu_device_fail_block(block, "thread (%u, %u, %u): %s:%d: %s: assertion `%s' failed.", t.x, t.y, t.z, file, line,
                          function, condition);
    cpu_device_suspend(block);
    abort(); /* a failed block is never resumed */
}

void cpu_device_trap(void) {
    struct block *block = cpu_device_current_block();
    uint3 t = block->current->index;
    cpu_device_fail_block(block, "thread (%u, %u, %u) calls __trap().", t.x, t.y, t.z);
    cpu_device_suspend(block);
    abort();
}

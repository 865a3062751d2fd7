#define _GNU_SOURCE
#include "memory.h"

#include "cuda_runtime_api.h"
#include "device.h"
#include "error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Reserving address space costs nothing, so the arena is generous; what can be handed out is bounded by physical memory
   as well, because an honest cudaErrorMemoryAllocation is better than being killed by the kernel later. */
#define LARGEST_MEMORY ((size_t)64 << 30)
#define SMALLEST_ARENA ((size_t)1 << 30)

/* Inaccessible space after each allocation. Wide enough that an index that is wrong by a row or two still hits it. */
#define GUARD_SIZE ((size_t)1 << 20)

static struct {
    pthread_mutex_t lock;
    uintptr_t base;
    size_t reserved; /* address space */
    size_t capacity; /* bytes that may be in use at a time */
    size_t used;     /* whole pages */
    size_t page;
    struct memory_range *allocations; /* ascending addresses */
    size_t count, room;
} arena = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t arena_once = PTHREAD_ONCE_INIT;

void *cpu_device_reserve(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

static void reserve_arena(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    arena.page = page > 0 ? (size_t)page : 4096;
    arena.capacity = LARGEST_MEMORY;
    if (pages > 0 && (size_t)pages < LARGEST_MEMORY / arena.page)
        arena.capacity = (size_t)pages * arena.page;
    /* Twice the capacity leaves room for guards and fragmentation. */
    for (size_t size = 2 * LARGEST_MEMORY; size >= SMALLEST_ARENA; size /= 2) {
        void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED)
            continue;
        arena.base = (uintptr_t)base;
        arena.reserved = size;
        if (arena.capacity > size / 2)
            arena.capacity = size / 2;
        return;
    }
    arena.capacity = 0;
}

static void lock_arena(void) {
    pthread_once(&arena_once, reserve_arena);
    pthread_mutex_lock(&arena.lock);
}

size_t cpu_device_memory_size(void) {
    pthread_once(&arena_once, reserve_arena);
    return arena.capacity;
}

uintptr_t cpu_device_arena(uintptr_t *end) {
    pthread_once(&arena_once, reserve_arena);
    *end = arena.base + arena.reserved;
    return arena.base;
}

static uintptr_t first_page(const struct memory_range *a) { return a->begin / arena.page * arena.page; }
static uintptr_t end_page(const struct memory_range *a) { return round_up(a->begin + a->size, arena.page); }
static size_t footprint(const struct memory_range *a) { return end_page(a) - first_page(a); }

/* Index of the last allocation that starts at or before `address`, or `count` if there is none. */
static size_t find_allocation(uintptr_t address) {
    size_t low = 0, high = arena.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (arena.allocations[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? arena.count : low - 1;
}

/* First gap that holds `size` bytes of pages with a guard on either side. Returns its index in the table, or SIZE_MAX.
 */
static size_t find_gap(size_t size, uintptr_t *page_start) {
    uintptr_t start = arena.base + GUARD_SIZE;
    for (size_t i = 0; i <= arena.count; i++) {
        uintptr_t limit = i < arena.count ? first_page(&arena.allocations[i]) : arena.base + arena.reserved;
        if (limit >= start && limit - start >= size + GUARD_SIZE) {
            *page_start = start;
            return i;
        }
        if (i < arena.count)
            start = end_page(&arena.allocations[i]) + GUARD_SIZE;
    }
    return SIZE_MAX;
}

static bool make_room_in_table(void) {
    if (arena.count < arena.room)
        return true;
    size_t room = arena.room ? 2 * arena.room : 64;
    struct memory_range *table = realloc(arena.allocations, room * sizeof *table);
    if (!table)
        return false;
    arena.allocations = table;
    arena.room = room;
    return true;
}

static cudaError_t allocate(void **pointer, size_t size) {
    if (size > arena.capacity)
        return cudaErrorMemoryAllocation;
    size_t pages = round_up(size, arena.page);
    uintptr_t page_start;
    if (pages > arena.capacity - arena.used || !make_room_in_table())
        return cudaErrorMemoryAllocation;
    size_t index = find_gap(pages, &page_start);
    if (index == SIZE_MAX || mprotect((void *)page_start, pages, PROT_READ | PROT_WRITE) != 0)
        return cudaErrorMemoryAllocation;
    /* The allocation ends where its pages end, so that the first byte beyond it (rounded up to the alignment) traps. */
    uintptr_t start = page_start + pages - round_up(size, ALLOCATION_ALIGNMENT);
    memmove(&arena.allocations[index + 1], &arena.allocations[index],
            (arena.count - index) * sizeof *arena.allocations);
    arena.allocations[index] = (struct memory_range){start, size};
    arena.count++;
    arena.used += pages;
    *pointer = (void *)start;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t size) {
    if (!pointer)
        return cpu_device_result(cudaErrorInvalidValue);
    if (cpu_device_sticky_error() != cudaSuccess)
        return cpu_device_sticky_error();
    *pointer = NULL;
    if (size == 0)
        return cudaSuccess;
    lock_arena();
    cudaError_t error = allocate(pointer, size);
    pthread_mutex_unlock(&arena.lock);
    return cpu_device_result(error);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    size_t size;
    if (!pitch || width > SIZE_MAX - ALLOCATION_ALIGNMENT)
        return cpu_device_result(cudaErrorInvalidValue);
    *pitch = round_up(width, ALLOCATION_ALIGNMENT);
    if (__builtin_mul_overflow(*pitch, height, &size))
        return cpu_device_result(cudaErrorMemoryAllocation);
    return cudaMalloc(pointer, size);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags) {
    if (size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return cpu_device_result(cudaErrorInvalidValue);
    return cudaMalloc(pointer, size);
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
    (void)stream;
    return cudaMalloc(pointer, size);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    (void)stream;
    return cudaFree(pointer);
}

/* Mapping the pages anew gives them back to the system and makes them inaccessible in one step. */
static void release_pages(const struct memory_range *a) {
    mmap((void *)first_page(a), footprint(a), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
    arena.used -= footprint(a);
}

cudaError_t cudaFree(void *pointer) {
    if (!pointer)
        return cpu_device_result(cudaSuccess);
    lock_arena();
    cudaError_t error = cudaErrorInvalidValue;
    size_t index = find_allocation((uintptr_t)pointer);
    if (index < arena.count && arena.allocations[index].begin == (uintptr_t)pointer) {
        release_pages(&arena.allocations[index]);
        arena.count--;
        memmove(&arena.allocations[index], &arena.allocations[index + 1],
                (arena.count - index) * sizeof *arena.allocations);
        error = cudaSuccess;
    }
    pthread_mutex_unlock(&arena.lock);
    return cpu_device_result(error);
}

void cpu_device_free_all_memory(void) {
    lock_arena();
    for (size_t i = 0; i < arena.count; i++)
        release_pages(&arena.allocations[i]);
    arena.count = 0;
    pthread_mutex_unlock(&arena.lock);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    if (!free_bytes || !total_bytes)
        return cpu_device_result(cudaErrorInvalidValue);
    lock_arena();
    *free_bytes = arena.capacity - arena.used;
    *total_bytes = arena.capacity;
    pthread_mutex_unlock(&arena.lock);
    return cpu_device_result(cudaSuccess);
}

static bool in_arena(uintptr_t address) { return arena.base != 0 && address - arena.base < arena.reserved; }

void cpu_device_describe_address(const void *pointer, char *text, size_t text_size) {
    uintptr_t address = (uintptr_t)pointer;
    if (address < 4096) {
        snprintf(text, text_size, "a null pointer");
        return;
    }
    if (!in_arena(address)) {
        snprintf(text, text_size, "not device memory");
        return;
    }
    size_t index = find_allocation(address);
    if (index < arena.count) {
        const struct memory_range *a = &arena.allocations[index];
        size_t past_end = address - a->begin - a->size;
        bool nearer_next = index + 1 < arena.count && arena.allocations[index + 1].begin - address < past_end;
        if (!nearer_next) {
            if (past_end == 0)
                snprintf(text, text_size, "right after the end of an allocation of %zu bytes", a->size);
            else
                snprintf(text, text_size, "%zu bytes past the end of an allocation of %zu bytes", past_end, a->size);
            return;
        }
        index++;
    } else {
        index = 0;
    }
    if (index < arena.count) {
        const struct memory_range *a = &arena.allocations[index];
        snprintf(text, text_size, "%zu bytes before an allocation of %zu bytes", (size_t)(a->begin - address), a->size);
    } else {
        snprintf(text, text_size, "device memory that was freed");
    }
}

struct memory_range *cpu_device_list_allocations(size_t *count) {
    lock_arena();
    struct memory_range *copy = arena.count ? malloc(arena.count * sizeof *copy) : NULL;
    *count = copy ? arena.count : 0;
    if (copy)
        memcpy(copy, arena.allocations, arena.count * sizeof *copy);
    pthread_mutex_unlock(&arena.lock);
    return copy;
}

/* ---- Host memory that kernels may touch ---- */

static struct {
    pthread_mutex_t lock;
    struct memory_range *list;
    size_t count;
} pinned = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool pin(void *pointer, size_t size) {
    pthread_mutex_lock(&pinned.lock);
    struct memory_range *longer = realloc(pinned.list, (pinned.count + 1) * sizeof *longer);
    if (longer) {
        pinned.list = longer;
        longer[pinned.count++] = (struct memory_range){(uintptr_t)pointer, size};
    }
    pthread_mutex_unlock(&pinned.lock);
    return longer != NULL;
}

static void unpin(void *pointer) {
    pthread_mutex_lock(&pinned.lock);
    size_t i = 0;
    while (i < pinned.count && pinned.list[i].begin != (uintptr_t)pointer)
        i++;
    if (i < pinned.count)
        pinned.list[i] = pinned.list[--pinned.count];
    pthread_mutex_unlock(&pinned.lock);
}

bool cpu_device_is_pinned(uintptr_t address, size_t size) {
    bool found = false;
    pthread_mutex_lock(&pinned.lock);
    for (size_t i = 0; i < pinned.count && !found; i++)
        found = size <= pinned.list[i].size && address - pinned.list[i].begin <= pinned.list[i].size - size;
    pthread_mutex_unlock(&pinned.lock);
    return found;
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags) {
    const unsigned int known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (!pointer || (flags & ~known))
        return cpu_device_result(cudaErrorInvalidValue);
    *pointer = NULL;
    if (size == 0)
        return cpu_device_result(cudaSuccess);
    void *memory;
    if (posix_memalign(&memory, ALLOCATION_ALIGNMENT, size) != 0)
        return cpu_device_result(cudaErrorMemoryAllocation);
    if (!pin(memory, size)) {
        free(memory);
        return cpu_device_result(cudaErrorMemoryAllocation);
    }
    *pointer = memory;
    return cpu_device_result(cudaSuccess);
}

cudaError_t cudaMallocHost(void **pointer, size_t size) { return cudaHostAlloc(pointer, size, cudaHostAllocDefault); }

cudaError_t cudaFreeHost(void *pointer) {
    unpin(pointer);
    free(pointer);
    return cpu_device_result(cudaSuccess);
}

/* Kernels reach all host memory here; only the checks ask. */
cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags) {
    (void)flags;
    if (!pointer || size == 0)
        return cpu_device_result(cudaErrorInvalidValue);
    return cpu_device_result(pin(pointer, size) ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void *pointer) {
    unpin(pointer);
    return cpu_device_result(pointer ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostGetDevicePointer(void **device_pointer, void *host_pointer, unsigned int flags) {
    if (!device_pointer || !host_pointer || flags != 0)
        return cpu_device_result(cudaErrorInvalidValue);
    *device_pointer = host_pointer;
    return cpu_device_result(cudaSuccess);
}

/* Memory outside the arena (host memory, __device__ variables) is taken on trust. */
static bool range_is_accessible(const void *pointer, size_t size) {
    uintptr_t address = (uintptr_t)pointer;
    if (!pointer)
        return false;
    lock_arena();
    bool accessible = true;
    if (in_arena(address)) {
        size_t index = find_allocation(address);
        accessible = index < arena.count;
        if (accessible) {
            size_t offset = address - arena.allocations[index].begin;
            accessible = offset <= arena.allocations[index].size && size <= arena.allocations[index].size - offset;
        }
    }
    pthread_mutex_unlock(&arena.lock);
    return accessible;
}

static bool is_copy_kind(enum cudaMemcpyKind kind) {
    return (int)kind >= cudaMemcpyHostToHost && (int)kind <= cudaMemcpyDefault;
}

cudaError_t cudaMemcpy(void *destination, const void *source, size_t count, enum cudaMemcpyKind kind) {
    if (cpu_device_sticky_error() != cudaSuccess)
        return cpu_device_sticky_error();
    const cudaError_t awaited = cpu_device_wait_result();
    if (awaited != cudaSuccess)
        return awaited;
    if (!is_copy_kind(kind))
        return cpu_device_result(cudaErrorInvalidMemcpyDirection);
    if (count == 0)
        return cudaSuccess;
    if (!range_is_accessible(destination, count) || !range_is_accessible(source, count))
        return cpu_device_result(cudaErrorInvalidValue);
    memmove(destination, source, count);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    (void)stream;
    return cudaMemcpy(destination, source, count, kind);
}

/* Bytes from the first row's start to the last row's end. False when that does not fit a size_t. */
static bool extent_of_rows(size_t pitch, size_t width, size_t height, size_t *extent) {
    return !__builtin_mul_overflow(pitch, height - 1, extent) && !__builtin_add_overflow(*extent, width, extent);
}

cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
    if (cpu_device_sticky_error() != cudaSuccess)
        return cpu_device_sticky_error();
    if (!is_copy_kind(kind))
        return cpu_device_result(cudaErrorInvalidMemcpyDirection);
    if (width > destination_pitch || width > source_pitch)
        return cpu_device_result(cudaErrorInvalidPitchValue);
    if (width == 0 || height == 0)
        return cudaSuccess;
    size_t to_size, from_size;
    if (!extent_of_rows(destination_pitch, width, height, &to_size) ||
        !extent_of_rows(source_pitch, width, height, &from_size) || !range_is_accessible(destination, to_size) ||
        !range_is_accessible(source, from_size))
        return cpu_device_result(cudaErrorInvalidValue);
    for (size_t row = 0; row < height; row++)
        memmove((char *)destination + row * destination_pitch, (const char *)source + row * source_pitch, width);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    (void)stream;
    return cudaMemcpy2D(destination, destination_pitch, source, source_pitch, width, height, kind);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    if (cpu_device_sticky_error() != cudaSuccess)
        return cpu_device_sticky_error();
    if (width > pitch && height > 1)
        return cpu_device_result(cudaErrorInvalidPitchValue);
    if (width == 0 || height == 0)
        return cudaSuccess;
    size_t size;
    if (!extent_of_rows(pitch, width, height, &size) || !range_is_accessible(pointer, size))
        return cpu_device_result(cudaErrorInvalidValue);
    for (size_t row = 0; row < height; row++)
        memset((char *)pointer + row * pitch, value, width);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *pointer, int value, size_t count) { return cudaMemset2D(pointer, count, value, count, 1); }

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count, cudaStream_t stream) {
    (void)stream;
    return cudaMemset(pointer, value, count);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    (void)stream;
    return cudaMemset2D(pointer, pitch, value, width, height);
}

/* Device memory: one arena of reserved address space. */
#ifndef CPU_DEVICE_MEMORY_H
#define CPU_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that cudaMalloc can hand out in all. */
size_t cpu_device_memory_size(void);

/* Where device memory lies: its first address, and the one after its last. */
uintptr_t cpu_device_arena(uintptr_t *end);

/* Zeros in address space that costs memory only where it is touched; NULL when there is none. */
void *cpu_device_reserve(size_t size);

struct memory_range {
    uintptr_t begin;
    size_t size;
};

/* The allocations of device memory, ascending. To be freed; NULL when there are none, or no memory. */
struct memory_range *cpu_device_list_allocations(size_t *count);

/* Whether these bytes of host memory were made for the device, by cudaHostAlloc or cudaHostRegister. */
bool cpu_device_is_pinned(uintptr_t address, size_t size);

/* Writes a clause such as "12 bytes past the end of an allocation of 400 bytes" into `text`. Safe in a signal
   handler while no other thread allocates. */
void cpu_device_describe_address(const void *address, char *text, size_t text_size);

void cpu_device_free_all_memory(void);

#endif

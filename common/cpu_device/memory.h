/* Device memory: one arena of reserved address space. */
#ifndef CPU_DEVICE_MEMORY_H
#define CPU_DEVICE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that cudaMalloc can hand out in all. */
size_t cpu_device_memory_size(void);

/* Where device memory lies: its first address, and the one after its last. */
uintptr_t cpu_device_arena(uintptr_t *end);

/* Writes a clause such as "12 bytes past the end of the 400-byte allocation at 0x7f..." into `text`. Safe in a signal
   handler while no other thread allocates. */
void cpu_device_describe_address(const void *address, char *text, size_t text_size);

void cpu_device_free_all_memory(void);

#endif

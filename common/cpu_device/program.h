/*
 * What the CPU device knows about the program it is in: names and places of symbols, source lines, and the
 * floating-point instructions of each basic block. Addresses here are those of the ELF file: an address in memory minus
 * program_base(). Lines and instructions come from addr2line and objdump, which every compiler installation has.
 */
#ifndef CPU_DEVICE_PROGRAM_H
#define CPU_DEVICE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the program file's address 0 lies in memory. */
uintptr_t program_base(void);

/* The thread-local data of the program for the calling OS thread: shared memory is in there. */
struct program_range {
    uintptr_t begin, end;
};
struct program_range program_thread_local(void);

/* The writable data of the program: __device__ variables, and __constant__ ones that are not const. */
struct program_range program_data(void);
/* The whole program in memory: code, constants, data. */
struct program_range program_image(void);
/* Where the __constant__ variables lie, const or not, with other things between them: program_is_constant tells. */
struct program_range program_constants(void);
bool program_is_constant(uintptr_t address);

/* The symbol-table name of the function at that address, or NULL. */
const char *program_function(const void *address);

/* A thread-local object by an offset into program_thread_local(). */
struct program_object {
    const char *name; /* NULL: there is none */
    size_t offset, size;
};
struct program_object program_shared_object(size_t offset);

/* Visits the shared arrays of the program: its thread-local objects, but for those of the CPU device and of C files.
   That is the dynamic window, too, and the bytes "_ZGV..." in which g++ keeps whether an array has been initialised. */
void program_each_shared_array(void (*visit)(const struct program_object *object, void *context), void *context);

struct program_place {
    const char *file; /* base name, valid until the program ends; "?" when not known */
    unsigned line;    /* 0 when not known */
};

/* The source line of each return address. Where functions were inlined it is that of the innermost .cu file, otherwise
   that of the innermost file that is not the CPU device's own. */
void program_places(const uint32_t *return_addresses, size_t count, struct program_place *places);

/* Fills in those that have no line: where two branches end alike, a compiler makes one access of them that belongs to
   none. Then the instruction before it that has one tells where. */
void program_places_nearby(const uint32_t *return_addresses, size_t count, struct program_place *places);

/* Floating-point operations of one execution of a basic block, a fused multiply-add being two. */
struct program_block_flops {
    uint32_t single, twofold; /* float, double */
    bool certain;             /* false: the block has a branch that its own counter does not see */
};

/* Orders uint32_t addresses, for qsort and bsearch. */
int program_compare_addresses(const void *left, const void *right);

/* The same for each block, named by the return address of the call to __sanitizer_cov_trace_pc at its beginning; those
   are ascending. Returns false when objdump is not to be had, or does not show every block. Operations that stand for
   half-precision ones or for a conversion are left out: CPU_DEVICE_UNCOUNTED in cuda_fp16.h. */
bool program_flops(const uint32_t *blocks, size_t count, struct program_block_flops *flops);

#endif

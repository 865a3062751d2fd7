/* The dimensions of shared arrays, which the program's debug information (DWARF) tells. */
#ifndef CPU_DEVICE_SHAPE_H
#define CPU_DEVICE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

enum { SHAPE_MAX_RANK = 8 };

struct shape {
    unsigned rank; /* 0: no array */
    size_t extents[SHAPE_MAX_RANK];
    size_t element_size;
};

/* Of the shared array that begins at that offset into the thread-local data. False when it is not known. The first call
   reads the debug information, by objdump. */
bool shape_of_shared(size_t offset, struct shape *shape);

/* Adds to `name` which element holds that byte of the array: "[1][0]". */
void shape_add_indices(const struct shape *shape, size_t byte, char *name, size_t name_size);

#endif

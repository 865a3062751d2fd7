/* Loops spread over the machine's cores. */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <stdint.h>

/* Calls task(context, i) for every i in 0 .. count-1, each exactly once, from several threads in no fixed order, and
 * returns when all are done. Falls back to fewer threads, at worst the caller alone, when threads cannot be had. */
void parallel_for(int64_t count, void (*task)(void *context, int64_t i), void *context);

#endif

#include "async.h"

#include "count.h"
#include "cpu_device/tensor.h"
#include "scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HERE __builtin_return_address(0)

struct copy {
    void *to;
    const void *from;
    unsigned size, source_size; /* the rest is filled with zeros */
    unsigned group;
    const void *place; /* of cp.async in the kernel */
};

/* Of one thread of the block: copies in the order in which they were asked for. */
struct queue {
    struct copy *copies;
    unsigned count, room;
    unsigned open; /* the group that is being filled */
};

static _Thread_local struct queue queues[MAX_THREADS_PER_BLOCK];
static _Thread_local bool any;

void async_begin_block(void) {
    for (unsigned t = 0; any && t < MAX_THREADS_PER_BLOCK; t++)
        queues[t].count = queues[t].open = 0;
    any = false;
}

static struct queue *own_queue(void) {
    struct block *block = cpu_device_current_block();
    return &queues[block->current - block->threads];
}

static bool make_room(struct queue *q) {
    if (q->count < q->room)
        return true;
    const unsigned room = q->room ? 2 * q->room : 16;
    struct copy *longer = realloc(q->copies, room * sizeof *longer);
    if (!longer)
        return false;
    q->copies = longer;
    q->room = room;
    return true;
}

void cpu_device_cp_async(void *to, const void *from, unsigned size, unsigned source_size) {
    struct queue *q = own_queue();
    cpu_device_note_async(to, from, size, source_size, HERE);
    any = true;
    if (make_room(q))
        q->copies[q->count++] = (struct copy){to, from, size, source_size, q->open, HERE};
    else
        fprintf(stderr, "CPU device: no memory for an asynchronous copy.\n");
}

void cpu_device_cp_async_commit(void) { own_queue()->open++; }

static void land(const struct copy *c) {
    cpu_device_note_landing(c->to, c->size, c->place);
    memcpy(c->to, c->from, c->source_size);
    memset((char *)c->to + c->source_size, 0, c->size - c->source_size);
}

void cpu_device_cp_async_wait(unsigned groups) {
    struct queue *q = own_queue();
    unsigned landed = 0;
    while (landed < q->count && q->copies[landed].group + groups < q->open)
        land(&q->copies[landed++]);
    q->count -= landed;
    memmove(q->copies, q->copies + landed, q->count * sizeof *q->copies);
}

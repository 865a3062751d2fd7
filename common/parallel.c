#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

typedef struct {
    int64_t count;
    void (*task)(void *, int64_t);
    void *context;
    atomic_int_fast64_t next;
} loop;

static void *work(void *argument) {
    loop *l = argument;
    for (int64_t i; (i = atomic_fetch_add(&l->next, 1)) < l->count;)
        l->task(l->context, i);
    return NULL;
}

void parallel_for(int64_t count, void (*task)(void *, int64_t), void *context) {
    loop l = {.count = count, .task = task, .context = context};
    atomic_init(&l.next, 0);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cores = cores > MAX_THREADS ? MAX_THREADS : cores;
    pthread_t threads[MAX_THREADS];
    int started = 0;
    while (started + 1 < cores && started + 1 < count && pthread_create(&threads[started], NULL, work, &l) == 0)
        started++;
    work(&l);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

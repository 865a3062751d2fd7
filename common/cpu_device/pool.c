#define _GNU_SOURCE
#include "pool.h"

#include <pthread.h>
#include <stdint.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t job_posted, job_finished;
    unsigned helpers;    /* threads created so far */
    unsigned unclaimed;  /* places in the current job that no helper has taken yet */
    unsigned unfinished; /* places that are not done yet */
    void (*job)(void *context);
    void *context;
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .job_posted = PTHREAD_COND_INITIALIZER,
    .job_finished = PTHREAD_COND_INITIALIZER,
};

static void *helper_main(void *unused) {
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.unclaimed == 0)
            pthread_cond_wait(&pool.job_posted, &pool.lock);
        pool.unclaimed--;
        pthread_mutex_unlock(&pool.lock);
        /* Stable until this place is finished. */
        pool.job(pool.context);
        pthread_mutex_lock(&pool.lock);
        if (--pool.unfinished == 0)
            pthread_cond_signal(&pool.job_finished);
    }
    return NULL;
}

/* Called with the lock held. */
static void create_helpers(unsigned count) {
    while (pool.helpers < count) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, helper_main, NULL) != 0)
            return;
        pthread_detach(thread);
        pool.helpers++;
    }
}

void cpu_device_pool_run(unsigned workers, void (*job)(void *context), void *context) {
    unsigned helpers = workers - 1;
    if (helpers > 0) {
        pthread_mutex_lock(&pool.lock);
        create_helpers(helpers);
        if (helpers > pool.helpers)
            helpers = pool.helpers;
        pool.job = job;
        pool.context = context;
        pool.unclaimed = pool.unfinished = helpers;
        for (unsigned i = 0; i < helpers; i++)
            pthread_cond_signal(&pool.job_posted);
        pthread_mutex_unlock(&pool.lock);
    }
    job(context);
    if (helpers > 0) {
        pthread_mutex_lock(&pool.lock);
        /* Places that nobody has started on by now would find nothing left to do. */
        pool.unfinished -= pool.unclaimed;
        pool.unclaimed = 0;
        while (pool.unfinished > 0)
            pthread_cond_wait(&pool.job_finished, &pool.lock);
        pthread_mutex_unlock(&pool.lock);
    }
}

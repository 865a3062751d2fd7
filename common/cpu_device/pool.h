/* OS threads that are kept between launches, so that a small launch does not pay for creating them. */
#ifndef CPU_DEVICE_POOL_H
#define CPU_DEVICE_POOL_H

/* Runs `job(context)` at the same time on up to `workers` OS threads, the caller being one of them, and returns when
   all are done. If the system refuses threads, fewer run the job. Not reentrant: one call at a time. */
void cpu_device_pool_run(unsigned workers, void (*job)(void *context), void *context);

#endif

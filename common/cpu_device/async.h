/* cp.async: copies from global to shared memory that arrive when their thread waits for them, and not before. */
#ifndef CPU_DEVICE_ASYNC_H
#define CPU_DEVICE_ASYNC_H

/* What threads of the block before have left unfinished is dropped. */
void async_begin_block(void);

#endif

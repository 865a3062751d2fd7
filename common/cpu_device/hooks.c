/*
 * What the compiler calls for every load and store of a kernel that is not in a register (-fsanitize=thread) and at the
 * beginning of every basic block (-fsanitize-coverage=trace-pc). The sanitizer's own library is not linked: these take
 * its place. Outside a counted launch each of them is a call, a test and a return.
 */
#include "check.h"
#include "count.h"

#include <string.h>

_Thread_local struct log_cursor cpu_device_log;

#define HERE __builtin_return_address(0)

/* Adds an access to the log of the lane that runs. */
static inline void log_access(struct log_cursor *log, const volatile void *address, unsigned operation,
                              unsigned log2_size, const void *return_address) {
    if (log->next == log->end)
        cpu_device_log_is_full();
    log->next->address = (uintptr_t)address;
    log->next->key = ((uintptr_t)return_address - log->program_base) << 8 | (uint64_t)operation << 4 | log2_size;
    log->next++;
}

static inline void note(const volatile void *address, enum cpu_device_operation operation, unsigned log2_size,
                        const void *return_address) {
    struct log_cursor *log = &cpu_device_log;
    if (!log->next || (uintptr_t)address - log->stacks < log->stacks_size)
        return;
    if (log->checked)
        check_access((uintptr_t)address, operation, log2_size, return_address);
    log_access(log, address, operation, log2_size, return_address);
}

/* A copy of a structure: a GPU moves it in pieces, as large as its alignment allows. That of the type is not known
   here, but it divides the size. */
static void note_range(const void *address, size_t size, enum cpu_device_operation operation, const void *place) {
    const unsigned largest = size % 16 ? (unsigned)__builtin_ctzll(size) : 4;
    for (size_t done = 0; done < size && cpu_device_log.next;) {
        uintptr_t at = (uintptr_t)address + done;
        unsigned log2_size = largest;
        while ((at & ((1u << log2_size) - 1)) || (1u << log2_size) > size - done)
            log2_size--;
        note((const void *)at, operation, log2_size, place);
        done += 1u << log2_size;
    }
}

void cpu_device_note_atomic(const volatile void *address, unsigned size) {
    note(address, CPU_DEVICE_ATOMIC, (unsigned)__builtin_ctz(size), HERE);
}

void cpu_device_note_ldmatrix(const void *row, unsigned matrices, const void *place) {
    struct log_cursor *log = &cpu_device_log;
    if (!log->next)
        return;
    if (log->checked && cpu_device_current_block()->current->lane < 8 * matrices)
        check_access((uintptr_t)row, CPU_DEVICE_LOAD, 4, place);
    log_access(log, row, CPU_DEVICE_LOAD, LOG_LDMATRIX_1 + (unsigned)__builtin_ctz(matrices), place);
}

void cpu_device_note_async(const void *to, const void *from, unsigned size, unsigned source_size, const void *place) {
    struct log_cursor *log = &cpu_device_log;
    const unsigned log2_size = (unsigned)__builtin_ctz(size);
    if (!log->next)
        return;
    if (log->checked)
        check_async(to, from, size, source_size, place);
    if (log->end - log->next < LOG_ENTRIES_OF_COPY)
        cpu_device_log_is_full();
    log_access(log, to, CPU_DEVICE_ASYNC, log2_size, place);
    log_access(log, source_size > 0 ? from : NULL, CPU_DEVICE_LOAD, log2_size, place);
}

void cpu_device_note_landing(const void *to, unsigned size, const void *place) {
    if (cpu_device_log.next && cpu_device_log.checked)
        check_landing((uintptr_t)to, (unsigned)__builtin_ctz(size), place);
}

/* ---- -fsanitize-coverage=trace-pc ---- */

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    struct log_cursor *log = &cpu_device_log;
    if (log->next)
        log->blocks_run[(uintptr_t)HERE - log->program_base]++;
}

/* ---- -fsanitize=thread: plain accesses ---- */

#define ACCESS(name, operation, log2_size)                                                                             \
    void name(void *address);                                                                                          \
    void name(void *address) { note(address, operation, log2_size, HERE); }

/* What may lie across its own alignment goes in pieces, like a copy: g++ reports it as one, clang as an access. */
#define UNALIGNED(name, operation, size)                                                                               \
    void name(void *address);                                                                                          \
    void name(void *address) { note_range(address, size, operation, HERE); }

#define ACCESSES(size, log2_size)                                                                                      \
    ACCESS(__tsan_read##size, CPU_DEVICE_LOAD, log2_size)                                                              \
    ACCESS(__tsan_write##size, CPU_DEVICE_STORE, log2_size)                                                            \
    UNALIGNED(__tsan_unaligned_read##size, CPU_DEVICE_LOAD, size)                                                      \
    UNALIGNED(__tsan_unaligned_write##size, CPU_DEVICE_STORE, size)                                                    \
    ACCESS(__tsan_volatile_read##size, CPU_DEVICE_LOAD, log2_size)                                                     \
    ACCESS(__tsan_volatile_write##size, CPU_DEVICE_STORE, log2_size)                                                   \
    UNALIGNED(__tsan_unaligned_volatile_read##size, CPU_DEVICE_LOAD, size)                                             \
    UNALIGNED(__tsan_unaligned_volatile_write##size, CPU_DEVICE_STORE, size)
ACCESSES(1, 0)
ACCESSES(2, 1)
ACCESSES(4, 2)
ACCESSES(8, 3)
ACCESSES(16, 4)

void __tsan_read_range(void *address, unsigned long size);
void __tsan_read_range(void *address, unsigned long size) { note_range(address, size, CPU_DEVICE_LOAD, HERE); }
void __tsan_write_range(void *address, unsigned long size);
void __tsan_write_range(void *address, unsigned long size) { note_range(address, size, CPU_DEVICE_STORE, HERE); }

void *__tsan_memcpy(void *destination, const void *source, size_t size);
void *__tsan_memcpy(void *destination, const void *source, size_t size) {
    note_range(source, size, CPU_DEVICE_LOAD, HERE);
    note_range(destination, size, CPU_DEVICE_STORE, HERE);
    return memcpy(destination, source, size);
}
void *__tsan_memmove(void *destination, const void *source, size_t size);
void *__tsan_memmove(void *destination, const void *source, size_t size) {
    note_range(source, size, CPU_DEVICE_LOAD, HERE);
    note_range(destination, size, CPU_DEVICE_STORE, HERE);
    return memmove(destination, source, size);
}
void *__tsan_memset(void *destination, int value, size_t size);
void *__tsan_memset(void *destination, int value, size_t size) {
    note_range(destination, size, CPU_DEVICE_STORE, HERE);
    return memset(destination, value, size);
}

/* ---- -fsanitize=thread: what needs no note ---- */

void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void);
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **pointer, void *value);
void __tsan_vptr_update(void **pointer, void *value) { (void)pointer, (void)value; }
void __tsan_vptr_read(void **pointer);
void __tsan_vptr_read(void **pointer) { (void)pointer; }

/* ---- -fsanitize=thread: atomic operations of the language. CUDA's own note themselves. ---- */

#define ATOMIC_UPDATE(bits, type, name)                                                                                \
    type __tsan_atomic##bits##_fetch_##name(volatile type *address, type value, int order);                            \
    type __tsan_atomic##bits##_fetch_##name(volatile type *address, type value, int order) {                           \
        (void)order;                                                                                                   \
        return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);                                                \
    }

#define ATOMIC_COMPARE(bits, type, name)                                                                               \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *address, type *expected, type value, int order,   \
                                                      int failure_order);                                              \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *address, type *expected, type value, int order,   \
                                                      int failure_order) {                                             \
        (void)order, (void)failure_order;                                                                              \
        return __atomic_compare_exchange_n(address, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
    }

#define ATOMICS(bits, type)                                                                                            \
    type __tsan_atomic##bits##_load(const volatile type *address, int order);                                          \
    type __tsan_atomic##bits##_load(const volatile type *address, int order) {                                         \
        (void)order;                                                                                                   \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                             \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order);                                   \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order) {                                  \
        (void)order;                                                                                                   \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                            \
    }                                                                                                                  \
    type __tsan_atomic##bits##_exchange(volatile type *address, type value, int order);                                \
    type __tsan_atomic##bits##_exchange(volatile type *address, type value, int order) {                               \
        (void)order;                                                                                                   \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                                  \
    ATOMIC_UPDATE(bits, type, add)                                                                                     \
    ATOMIC_UPDATE(bits, type, sub)                                                                                     \
    ATOMIC_UPDATE(bits, type, and)                                                                                     \
    ATOMIC_UPDATE(bits, type, or)                                                                                      \
    ATOMIC_UPDATE(bits, type, xor)                                                                                     \
    ATOMIC_UPDATE(bits, type, nand)                                                                                    \
    ATOMIC_COMPARE(bits, type, strong)                                                                                 \
    ATOMIC_COMPARE(bits, type, weak)                                                                                   \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type value, int order,      \
                                                    int failure_order);                                                \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type value, int order,      \
                                                    int failure_order) {                                               \
        __tsan_atomic##bits##_compare_exchange_strong(address, &expected, value, order, failure_order);                \
        return expected;                                                                                               \
    }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) {
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) { (void)order; }

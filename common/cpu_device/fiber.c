#include "fiber.h"

#include <stdint.h>
#include <string.h>

/* The first frame holds what cpu_device_fiber_switch pops, in its order: see fiber_switch.S. */
void *cpu_device_fiber_prepare(void *stack_top, void (*entry)(void)) {
#if defined(__x86_64__)
    /* Six registers, the address to continue at, and a zero return address for backtraces to end at. The ABI wants the
       stack pointer to be 8 modulo 16 when a function begins, that is, with the return address on top. */
    enum { REGISTERS = 6, ENTRY = REGISTERS, RETURN_ADDRESS, SLOTS };
    uintptr_t *frame = (uintptr_t *)stack_top - SLOTS;
    memset(frame, 0, sizeof(uintptr_t) * SLOTS);
    frame[ENTRY] = (uintptr_t)entry;
#elif defined(__aarch64__)
    /* x19 to x30, then d8 to d15. x30 is the address to continue at; x29 = 0 ends backtraces. */
    enum { LINK_REGISTER = 11, SLOTS = 20 };
    uintptr_t *frame = (uintptr_t *)stack_top - SLOTS;
    memset(frame, 0, sizeof(uintptr_t) * SLOTS);
    frame[LINK_REGISTER] = (uintptr_t)entry;
#else
#error "The CPU device knows x86-64 and AArch64; fiber_switch.S needs a switch for this processor."
#endif
    return frame;
}

#define _GNU_SOURCE
#include "fault.h"

#include "memory.h"
#include "scheduler.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

/* The handler itself needs little; the register state that the system saves can take more than 10 KiB with AVX-512 and
   AMX. */
#define HANDLER_STACK_SIZE ((size_t)64 << 10)

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };
static struct sigaction previous[SIGNAL_COUNT];

static void restore_previous(int number) {
    for (int i = 0; i < SIGNAL_COUNT; i++)
        if (signals[i] == number)
            sigaction(number, &previous[i], NULL);
}

/* ---- From the handler back into the scheduler ---- */

static void leave_for_good(void) {
    cpu_device_suspend(cpu_device_current_block());
    abort(); /* a failed block is never resumed */
}

#if defined(__x86_64__)
static const void *program_counter(const ucontext_t *c) { return (const void *)c->uc_mcontext.gregs[REG_RIP]; }

/* As if a call had put a return address on the stack. */
static void continue_at(ucontext_t *c, void (*function)(void), char *stack_top) {
    c->uc_mcontext.gregs[REG_RIP] = (greg_t)function;
    c->uc_mcontext.gregs[REG_RSP] = (greg_t)(stack_top - sizeof(void *));
}
#else
static const void *program_counter(const ucontext_t *c) { return (const void *)c->uc_mcontext.pc; }

static void continue_at(ucontext_t *c, void (*function)(void), char *stack_top) {
    c->uc_mcontext.pc = (uintptr_t)function;
    c->uc_mcontext.sp = (uintptr_t)stack_top;
}
#endif

/* The thread that has met the signal goes on in leave_for_good, on its stack from the top: what it held is lost, and
   the part that overflowed is free. The scheduler then reads block->fault. */
static void on_fault(int number, siginfo_t *info, void *context) {
    struct block *block = cpu_device_current_block();
    if (!block || !block->current) {
        /* Not ours: the instruction runs again and meets whoever was here before. */
        restore_previous(number);
        return;
    }
    block->fault.signal = number;
    block->fault.code = info->si_code;
    block->fault.address = info->si_addr;
    block->fault.program_counter = program_counter(context);
    block->failed = true;
    continue_at(context, leave_for_good, cpu_device_stack_top(block));
}

/* ---- Words ---- */

cudaError_t cpu_device_describe_fault(const struct block *block, char *text, size_t text_size) {
    const void *address = block->fault.address;
    if (block->fault.signal == SIGFPE) {
        snprintf(text, text_size, "an integer division by zero");
        return cudaErrorLaunchFailure;
    }
    if (cpu_device_is_stack_guard(block, address)) {
        snprintf(text, text_size, "its local variables do not fit the 64 KiB stack of a thread");
        return cudaErrorLaunchFailure;
    }
#ifdef SI_KERNEL
    /* x86 reports a misaligned vector access without an address. */
    if (block->fault.code == SI_KERNEL && !address) {
        snprintf(text, text_size, "a misaligned access, or an address that cannot exist");
        return cudaErrorMisalignedAddress;
    }
#endif
    char place[160];
    cpu_device_describe_address(address, place, sizeof place);
    snprintf(text, text_size, "an illegal access: %s", place);
    return cudaErrorIllegalAddress;
}

/* ---- Handlers ---- */

void cpu_device_catch_faults(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNAL_COUNT; i++)
        sigaction(signals[i], &action, &previous[i]);
}

void cpu_device_release_faults(void) {
    for (int i = 0; i < SIGNAL_COUNT; i++)
        restore_previous(signals[i]);
}

bool cpu_device_prepare_thread_for_faults(void) {
    static _Thread_local bool ready;
    if (ready)
        return true;
    stack_t stack;
    if (sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE))
        return ready = true;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = malloc(HANDLER_STACK_SIZE);
    stack.ss_size = HANDLER_STACK_SIZE;
    ready = stack.ss_sp && sigaltstack(&stack, NULL) == 0;
    return ready;
}

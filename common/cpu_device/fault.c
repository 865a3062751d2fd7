#define _GNU_SOURCE
#include "fault.h"

#include "memory.h"
#include "scheduler.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* snprintf needs a few KiB; the register state that the system saves can take more than 10 with AVX-512 and AMX. */
#define HANDLER_STACK_SIZE ((size_t)64 << 10)

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };
static struct sigaction previous[SIGNAL_COUNT];

static void restore_previous(int number) {
    for (int i = 0; i < SIGNAL_COUNT; i++)
        if (signals[i] == number)
            sigaction(number, &previous[i], NULL);
}

static void describe_fault(int number, const siginfo_t *info, const struct block *block, char *text, size_t text_size) {
    if (number == SIGFPE) {
        snprintf(text, text_size, "an integer division by zero");
        return;
    }
    if (cpu_device_is_stack_guard(block, info->si_addr)) {
        snprintf(text, text_size, "its local variables do not fit the 64 KiB stack of a thread");
        return;
    }
#ifdef SI_KERNEL
    /* x86 reports a misaligned vector access without an address. */
    if (info->si_code == SI_KERNEL && !info->si_addr) {
        snprintf(text, text_size, "a misaligned access, or an address that cannot exist");
        return;
    }
#endif
    char place[160];
    cpu_device_describe_address(info->si_addr, place, sizeof place);
    snprintf(text, text_size, "an illegal access to address %p: %s", info->si_addr, place);
}

static void on_fault(int number, siginfo_t *info, void *context) {
    (void)context;
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    const struct block *block = cpu_device_current_block();
    if (!block || !block->current) {
        /* Not ours: the instruction runs again and meets whoever was here before. */
        restore_previous(number);
        return;
    }
    if (atomic_flag_test_and_set(&reported))
        for (;;)
            pause(); /* another OS thread is about to end the process */
    char reason[256], message[768];
    describe_fault(number, info, block, reason, sizeof reason);
    uint3 b = block->index, t = block->current->index;
    int length =
        snprintf(message, sizeof message, "CPU device: kernel %s, block (%u, %u, %u), thread (%u, %u, %u): %s.\n",
                 block->grid->config->kernel_name, b.x, b.y, b.z, t.x, t.y, t.z, reason);
    if (length > (int)sizeof message - 1)
        length = (int)sizeof message - 1;
    if (length > 0 && write(STDERR_FILENO, message, (size_t)length) < 0)
        _exit(1);
    _exit(1);
}

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

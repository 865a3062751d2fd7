/* The assembly switch: the ABI's promises to a function hold on a stack that the switch starts. */
#include "fiber.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static _Alignas(16) char stack[16384];
static void *main_stack_pointer, *fiber_stack_pointer;
static uintptr_t frame_on_fiber, frame_on_main;
static int rounds;

static __attribute__((noinline)) uintptr_t frame_address(void) { return (uintptr_t)__builtin_frame_address(0); }

static void entry(void) {
    frame_on_fiber = (uintptr_t)__builtin_frame_address(0);
    for (;;) {
        rounds++;
        cpu_device_fiber_switch(&fiber_stack_pointer, main_stack_pointer);
    }
}

static void frames_are_aligned(void **state) {
    (void)state;
    fiber_stack_pointer = cpu_device_fiber_prepare(stack + sizeof stack, entry);
    cpu_device_fiber_switch(&main_stack_pointer, fiber_stack_pointer);
    frame_on_main = frame_address();
    assert_int_equal(rounds, 1);
    assert_in_range(frame_on_fiber, (uintptr_t)stack, (uintptr_t)stack + sizeof stack);
    assert_int_equal(frame_on_fiber % 16, frame_on_main % 16);
}

/* More values than there are callee-saved registers, so that some lie in them across the switch. */
static void registers_survive(void **state) {
    (void)state;
    volatile long source = 3;
    long a = source, b = a * 3, c = b * 5, d = c * 7, e = d * 11, f = e * 13, g = f * 17;
    double x = (double)source * 1.5;
    int before = rounds;
    for (int i = 0; i < 100; i++) {
        cpu_device_fiber_switch(&main_stack_pointer, fiber_stack_pointer);
        a++, b++, c++, d++, e++, f++, g++;
        x += 0.25;
    }
    assert_int_equal(rounds - before, 100);
    assert_int_equal(a, 103);
    assert_int_equal(b, 109);
    assert_int_equal(c, 145);
    assert_int_equal(d, 415);
    assert_int_equal(e, 3565);
    assert_int_equal(f, 45145);
    assert_int_equal(g, 765865);
    assert_true(x > 29.4 && x < 29.6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_are_aligned), cmocka_unit_test(registers_survive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

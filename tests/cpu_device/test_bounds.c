/* What the compiler says of an index past its dimension arrives as file, line, array and index. This file is compiled
   with -fsanitize=bounds; bounds.c is linked against the listener here instead of the runtime. */
#include "bounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct {
    unsigned count, line;
    char file[256], array_type[64];
    int64_t index;
} heard;

void cpu_device_index_out_of_bounds(const char *file, unsigned line, const char *array_type, int64_t index) {
    heard.count++;
    heard.line = line;
    snprintf(heard.file, sizeof heard.file, "%s", file);
    /* 'int [5]' of g++ and of clang before 15 is 'int[5]' since. */
    size_t length = 0;
    for (; *array_type && length < sizeof heard.array_type - 1; array_type++)
        if (*array_type != ' ')
            heard.array_type[length++] = *array_type;
    heard.array_type[length] = '\0';
    heard.index = index;
}

/* The rows around it keep every access inside the whole. */
static float rows[5][5];

/* g++ trusts a report to leave all memory as it is. */
#define FORGET_MEMORY() __asm__ volatile("" ::: "memory")

/* volatile: the compiler must not see the mistake, which is an error to it, nor that nobody wants the value. */
#define READ(name, type)                                                                                               \
    static void name(type value) {                                                                                     \
        volatile type index = value;                                                                                   \
        volatile float element = rows[2][index];                                                                       \
        (void)element;                                                                                                 \
        FORGET_MEMORY();                                                                                               \
    }
READ(read_signed_char, signed char)
READ(read_unsigned_char, unsigned char)
READ(read_short, short)
READ(read_int, int)
READ(read_unsigned, unsigned)
READ(read_int64, int64_t)
READ(read_uint64, uint64_t)
READ(read_int128, __int128)

static void expect(int64_t index) {
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.index, index);
    assert_string_equal(heard.array_type, "'float[5]'");
    memset(&heard, 0, sizeof heard);
}

static void indices_of_every_type(void **state) {
    (void)state;
    read_signed_char(-3);
    expect(-3);
    read_unsigned_char(6);
    expect(6);
    read_short(-1);
    expect(-1);
    read_int(5);
    expect(5);
    read_int(-5);
    expect(-5);
    read_unsigned(7);
    expect(7);
    read_int64(-2);
    expect(-2);
    read_uint64(8);
    expect(8);
    read_uint64((uint64_t)-1);
    expect(-1);
    read_int128(9);
    expect(9);
    read_int128(-4);
    expect(-4);
}

static void places(void **state) {
    (void)state;
    volatile int index = 6;
    const unsigned line = __LINE__ + 1;
    rows[1][index] = 1;
    FORGET_MEMORY();
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.line, line);
    assert_non_null(strstr(heard.file, "test_bounds.c"));
    memset(&heard, 0, sizeof heard);
    assert_true(rows[2][1] == 1); /* the access was made */
}

static void nothing_inside(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++)
        read_int(i);
    read_int128(4);
    assert_int_equal(heard.count, 0);
}

/* What no access can show without leaving the program's memory. */
void __ubsan_handle_out_of_bounds(void *report, void *index);

static void far_indices(void **state) {
    (void)state;
    enum { SIGNED_64 = 6 << 1 | 1, UNSIGNED_64 = 6 << 1, SIGNED_32 = 5 << 1 | 1, UNSIGNED_32 = 5 << 1 };
    static struct {
        uint16_t kind, info;
        char name[12];
    } array_type = {UINT16_MAX, 0, "'float [5]'"}, index_type = {0, 0, "'index'"};
    struct {
        const char *file;
        uint32_t line, column;
        const void *array_type, *index_type;
    } report = {"k.cu", 7, 3, &array_type, &index_type};
    index_type.info = SIGNED_64;
    __ubsan_handle_out_of_bounds(&report, (void *)(uintptr_t)INT64_C(-5000000000));
    assert_string_equal(heard.file, "k.cu");
    assert_int_equal(heard.line, 7);
    expect(INT64_C(-5000000000));
    index_type.info = UNSIGNED_64;
    __ubsan_handle_out_of_bounds(&report, (void *)(uintptr_t)UINT64_C(5000000000));
    expect(INT64_C(5000000000));
    /* What lies above the width of the type is not part of the index. */
    index_type.info = SIGNED_32;
    __ubsan_handle_out_of_bounds(&report, (void *)(uintptr_t)UINT64_C(0x7fffffff80000000));
    expect(INT32_MIN);
    index_type.info = UNSIGNED_32;
    __ubsan_handle_out_of_bounds(&report, (void *)(uintptr_t)UINT64_C(0x7fffffff80000000));
    expect(INT64_C(0x80000000));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_of_every_type),
        cmocka_unit_test(places),
        cmocka_unit_test(nothing_inside),
        cmocka_unit_test(far_indices),
    };
    return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}

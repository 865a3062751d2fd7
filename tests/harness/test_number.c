/* Half precision against its definition: all 65,536 codes, and the points where rounding decides. */
#include "number.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* needs the headers above */

/* The value of a code, from the definition in IEEE 754-2019, 3.4. */
static double defined_value(unsigned code) {
    const int exponent = (int)(code >> 10 & 31u);
    const double significand = code & 0x3ffu, sign = code & 0x8000u ? -1.0 : 1.0;
    if (exponent == 31)
        return significand != 0.0 ? (double)NAN : sign * INFINITY;
    return exponent == 0 ? sign * ldexp(significand, -24) : sign * ldexp(1024.0 + significand, exponent - 25);
}

static void every_code_decodes_and_returns(void **state) {
    (void)state;
    for (unsigned code = 0; code < 65536; code++) {
        const float value = number_half_to_float((uint16_t)code);
        const double expected = defined_value(code);
        if (isnan(expected)) {
            assert_true(isnan(value));
            assert_true(isnan(number_half_to_float(number_float_to_half(value))));
        } else {
            assert_true((double)value == expected && !signbit(value) == !signbit(expected));
            assert_int_equal(number_float_to_half(value), code);
        }
    }
}

/* Between two neighbours: the middle goes to the even one, and the floats beside the middle to the nearer. */
static void ties_go_to_even(void **state) {
    (void)state;
    for (unsigned code = 0; code < 0x7bffu; code++) {
        const float low = number_half_to_float((uint16_t)code), high = number_half_to_float((uint16_t)(code + 1));
        const float middle = (low + high) / 2.0f; /* exact in float */
        const unsigned even = code & 1u ? code + 1 : code;
        assert_int_equal(number_float_to_half(middle), even);
        assert_int_equal(number_float_to_half(nextafterf(middle, 0.0f)), code);
        assert_int_equal(number_float_to_half(nextafterf(middle, INFINITY)), code + 1);
        assert_int_equal(number_float_to_half(-middle), even | 0x8000u);
    }
}

static void the_ends(void **state) {
    (void)state;
    assert_int_equal(number_float_to_half(65504.0f), 0x7bff);
    assert_int_equal(number_float_to_half(nextafterf(65520.0f, 0.0f)), 0x7bff);
    assert_int_equal(number_float_to_half(65520.0f), 0x7c00);
    assert_int_equal(number_float_to_half(FLT_MAX), 0x7c00);
    assert_int_equal(number_float_to_half(-INFINITY), 0xfc00);
    assert_int_equal(number_float_to_half(0x1p-24f), 0x0001);
    assert_int_equal(number_float_to_half(0x1p-25f), 0x0000);
    assert_int_equal(number_float_to_half(0x1.8p-25f), 0x0001);
    assert_int_equal(number_float_to_half(-0.0f), 0x8000);
    assert_true(isnan(number_half_to_float(number_float_to_half(NAN))));
}

static void names(void **state) {
    (void)state;
    gemm_dtype dtype;
    assert_int_equal(number_parse("f16", &dtype), 0);
    assert_int_equal(dtype, GEMM_F16);
    assert_int_equal(number_parse("f64", &dtype), -1);
    for (int i = 0; i < GEMM_DTYPE_COUNT; i++) {
        assert_int_equal(number_parse(number_name((gemm_dtype)i), &dtype), 0);
        assert_int_equal(dtype, i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_decodes_and_returns),
        cmocka_unit_test(ties_go_to_even),
        cmocka_unit_test(the_ends),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
